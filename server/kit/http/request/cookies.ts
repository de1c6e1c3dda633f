/** The values of the cookies with this name in a Cookie header: other sites below the same domain can set it, too. */
export function cookiesNamed(field: string | undefined, name: string): string[] {
  const pairs = (field ?? '').split(';').map((pair) => pair.trim())
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}
