// DATABASE_URL: one PostgreSQL server or several, as libpq reads them (PostgreSQL manual, "Connection URIs").
import { isIP } from 'node:net'

/** What `target_session_attrs` may be: the program writes, so a server that cannot be written is of no use. */
const sessionTypes = ['any', 'read-write', 'primary']

/** libpq's modes that encrypt. All of them check the server's certificate and its name, as verify-full does. */
const verifyingModes = ['prefer', 'require', 'verify-ca', 'verify-full']
const sslModes = ['disable', 'no-verify', ...verifyingModes]

const form = /^(postgres(?:ql)?):\/\/((?:[^@/?#]*@)?)([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?$/

/** Undefined for what is not accepted. */
export function parseDatabaseUrl(text: string) {
  const [, scheme, credentials = '', authority = '', path = '', query = ''] = form.exec(text) ?? []
  if (scheme === undefined) return undefined
  const params = new URLSearchParams(query)
  const hosts = readHosts(authority, params)
  const session = params.get('target_session_attrs')
  const sslMode = params.get('sslmode')
  if (!hosts || (session !== null && !sessionTypes.includes(session))) return undefined
  if (sslMode !== null && !sslModes.includes(sslMode)) return undefined
  if (sslMode !== null && verifyingModes.includes(sslMode)) params.set('sslmode', 'verify-full')
  for (const name of ['host', 'port', 'target_session_attrs']) params.delete(name)
  const urls = hosts.map(({ host, port }) => {
    // A folder of a Unix socket cannot be a URL's host.
    const isFolder = host.startsWith('/')
    const own = new URLSearchParams(params)
    if (isFolder) own.set('host', host)
    const shown = isFolder ? '' : isIP(host) === 6 ? `[${host}]` : host
    if (isFolder && port !== '') own.set('port', port)
    const address = shown + (isFolder || port === '' ? '' : `:${port}`)
    return `${scheme}://${credentials}${address}${path}${own.size > 0 ? `?${own}` : ''}`
  })
  if (urls.some((url, i) => !hosts[i]?.host.startsWith('/') && !URL.canParse(url))) return undefined
  return {
    /** A URL with one host for each server, in order. */
    urls,
    /** For people: the servers, without credentials. */
    names: hosts.map(({ host, port }) => `${host || 'localhost'}:${port || '5432'}`),
    /** Only a server that accepts writes is used. */
    mustWrite: session === null ? urls.length > 1 : session !== 'any',
  }
}

/** `host1:1,host2`, or the parameters host and port, with one port for all or one for each. */
function readHosts(authority: string, params: URLSearchParams) {
  const hostParam = params.get('host')
  const parts = (hostParam ?? authority).split(',')
  const ports = params.get('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== parts.length) return undefined
  const hosts = []
  for (const [i, part] of parts.entries()) {
    const port = ports[i] ?? ports[0] ?? ''
    const split =
      hostParam === null ? /^(\[[\da-fA-F:.]+\]|[^:]*)(?::(\d{1,5}))?$/.exec(part) : [part, part]
    if (!split || (parts.length > 1 && part === '') || !/^\d{0,5}$/.test(port)) return undefined
    const host = decodeURIComponent(split[1] ?? '').replace(/^\[(.+)\]$/, '$1')
    hosts.push({ host, port: split[2] ?? port })
  }
  return hosts
}
