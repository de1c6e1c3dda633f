// `tryIt` in site.yaml: the server to which readers can send requests from the API reference. Off without it.

export interface TryItServer {
  /** Without a slash at the end. */
  server: string
  /** The only origin, apart from their own, to which the pages of operations may connect. */
  origin: string
}

const form = 'tryIt must have a server, such as "server: https://staging.example.com/v1".'
const address =
  'tryIt.server must be an https address without a query; on this computer (localhost) also http.'
/** What can be written into a content security policy: names and IPv4 addresses. */
const hostForm = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
const localHost = /^(?:localhost|.+\.localhost|127\.0\.0\.1)$/

/** What is wrong, and how to fix it, otherwise. */
export function readTryIt(value: unknown): TryItServer | string {
  if (typeof value !== 'object' || value === null) return form
  const { server, ...others } = value as Record<string, unknown>
  if (typeof server !== 'string' || Object.keys(others).length > 0) return form
  const url = URL.parse(server)
  if (!url || !isAllowed(url)) return address
  return { server: withoutSlash(url.href), origin: url.origin }
}

/** Whether it can be the server of `tryIt`. */
export const canTry = (server: string): boolean => typeof readTryIt({ server }) !== 'string'

/** Whether two addresses of servers are the same one. */
export function isSameServer(a: string, b: string): boolean {
  const [first, second] = [URL.parse(a)?.href, URL.parse(b)?.href]
  return first !== undefined && second !== undefined && withoutSlash(first) === withoutSlash(second)
}

function isAllowed({ hash, hostname, password, protocol, search, username }: URL): boolean {
  if (username + password + search + hash !== '' || !hostForm.test(hostname)) return false
  return protocol === 'https:' || (protocol === 'http:' && localHost.test(hostname))
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
