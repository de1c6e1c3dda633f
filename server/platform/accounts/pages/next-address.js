// @ts-check
// Where somebody goes who is in: where he wanted to go before he was asked to sign in, if that is here.

/**
 * The whole address. `next` may be a path of this origin and nothing else: browsers read more as another
 * host than begins with two slashes, so what they make of it is looked at.
 * @param {{ search: string, origin: string }} location
 */
export function nextAddress({ origin, search }) {
  const next = new URLSearchParams(search).get('next') ?? '/'
  const home = `${origin}/`
  if (!next.startsWith('/') || next.includes('\\')) return home
  const address = URL.parse(next, home)
  return address?.origin === origin && !address.pathname.startsWith('//') ? address.href : home
}
