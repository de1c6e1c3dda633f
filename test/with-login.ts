/** An address such as those of settings: with a user and a password, percent-encoded. */
export function withLogin(origin: string, user: string, password: string): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return origin.replace('://', `://${login}`)
}
