// Where a user goes after signing in: the page that was asked for first, if it is on this origin.

/**
 * Returns the whole address. `next` may only be a path of this origin. Browsers read more than two slashes as
 * another host, so the address is checked as they parse it.
 */
export function nextAddress({ origin, search }: Pick<Location, 'origin' | 'search'>): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  const home = `${origin}/`
  if (!next.startsWith('/') || next.includes('\\') || !URL.canParse(next, home)) return home
  const address = new URL(next, home)
  return address.origin === origin && !address.pathname.startsWith('//') ? address.href : home
}
