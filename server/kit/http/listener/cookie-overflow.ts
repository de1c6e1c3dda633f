// Cookies that a neighbour of the same registrable domain has set can make every request to a site too large. The 431
// then deletes them (Clear-Site-Data, W3C). Only if cookies are at least half of what a head may have, within an
// address of legal length: otherwise a link with a long address could make a browser delete cookies.
import { hostName } from '../request/host-name.ts'
import type { Limits } from './limits.ts'

export const clearCookies = ['Clear-Site-Data', '"cookies"']

/** Whether cookies make the head of a parsed request too large. `raw`: names and values in turn. */
export function isCookieOverflow(
  raw: readonly string[],
  url: string,
  { headerBytes, urlBytes }: Limits,
): boolean {
  let otherBytes = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (name.length === 6 && name.toLowerCase() === 'cookie') continue
    otherBytes += name.length + (raw[i + 1] as string).length
  }
  return url.length <= urlBytes && otherBytes <= headerBytes / 2
}

/**
 * The host of a request over HTTP/1 whose cookies overflow; undefined if there is none, or the packet does not show it.
 * `packet`: what was read last when the parser gave up. `host`: the one of the TLS connection, whose packets are too
 * small to show the whole head. Without TLS, only hosts that browsers trust: behind a TLS proxy, or below localhost.
 */
export function hostOfCookieOverflow(
  packet: Buffer | undefined,
  host: string | undefined,
  { headerBytes, urlBytes }: Limits,
): string | undefined {
  if (!packet) return undefined
  const [first = '', ...lines] = packet.toString('latin1', 0, headerBytes).split('\r\n')
  const target = /^[A-Z]+ (\/\S*) HTTP\/1\.[01]$/.exec(first)?.[1]
  if (target === undefined) {
    const isCookies = first.length > minCookieBytes && first.includes('; ')
    return isCookies && !/ HTTP\/1\.[01]$/.test(first) ? host : undefined
  }
  let cookieBytes = 0
  let isForwarded = false
  const hosts: (string | undefined)[] = []
  for (const line of lines) {
    // The packet shows a request before the one that overflows.
    if (line === '') return undefined
    const end = line.indexOf(':')
    const name = line.slice(0, end).toLowerCase()
    if (name === 'cookie') cookieBytes += line.length
    else if (name === 'host') hosts.push(hostName(line.slice(end + 1).trim()))
    else if (name === 'x-forwarded-proto') isForwarded = /^\s*https\b/i.test(line.slice(end + 1))
  }
  const [named] = hosts
  if (hosts.length !== 1 || target.length > urlBytes || cookieBytes < headerBytes / 2)
    return undefined
  if (host !== undefined) return host
  return isForwarded || named?.endsWith('.localhost') ? named : undefined
}

/** Of a packet that begins within the Cookie field. */
const minCookieBytes = 1024
