// How the values of environment variables are parsed. Each function returns undefined for what it does not accept.
import { isIP } from 'node:net'
import { readAddressPort } from '../network/addresses.ts'

export interface HostPort {
  address: string
  port: number
}

export interface RateLimit {
  requests: number
  windowSeconds: number
}

export const list = (text: string, item: (part: string) => boolean): string[] | undefined => {
  const parts = text.split(',').map((part) => part.trim())
  return parts.every(item) ? parts : undefined
}

/** Undefined if one of them was not accepted. */
export const every = <T>(parts: (T | undefined)[]): T[] | undefined =>
  parts.every((part) => part !== undefined) ? parts : undefined

export const wholeNumber = (text: string, min: number, max: number): number | undefined => {
  if (!/^\d{1,9}$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

export const httpUrl = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return url.search || url.hash || url.username || url.password ? undefined : url
}

export const baseAddress = (text: string): URL | undefined => {
  const url = httpUrl(text)
  return url?.pathname.endsWith('/v1') ? url : undefined
}

export const serverList = (text: string): HostPort[] | undefined => {
  const servers = text.split(',').map((part): HostPort | undefined => {
    const read = readAddressPort(part.trim())
    return read?.range === '' ? { address: read.address, port: read.port ?? 53 } : undefined
  })
  return every(servers)
}

export const portText = (text: string): number | undefined => wholeNumber(text, 0, 65535)

/** A name or an address of this machine only. */
export const loopbackHost = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** An http or https address with a user and a password, percent-encoded, and a query with no other fields than these. */
export function urlWithLogin<Field extends string>(text: string, fields: readonly Field[]) {
  const url = URL.parse(text)
  const isKnown = (name: string): boolean => fields.some((field) => field === name)
  if (!url || ![...url.searchParams.keys()].every(isKnown)) return undefined
  const query = Object.fromEntries(url.searchParams) as Partial<Record<Field, string>>
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    url.username = ''
    url.password = ''
    url.search = ''
    const address = httpUrl(url.href)
    const isComplete = [user, password].every((part) => /^[\x20-\x7e]{1,1000}$/.test(part))
    return address && isComplete ? { address, user, password, query } : undefined
  } catch {
    return undefined
  }
}

export const acmeDirectory = (text: string): string | undefined => {
  if (text === 'internal') return text
  const url = httpUrl(text)
  return url?.protocol === 'https:' ? url.href : undefined
}

export const isAllowed = (text: string): boolean => readAddressPort(text) !== undefined

export const isAddressOrRange = (text: string): boolean => {
  const [address = '', bits = '0', ...more] = text.split('/')
  const family = isIP(address)
  return (
    family > 0 && more.length === 0 && wholeNumber(bits, 0, family === 4 ? 32 : 128) !== undefined
  )
}

export const hostOf = (text: string): string | undefined => {
  const isHost =
    /^(?=.{1,190}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/
  const host = text.toLowerCase()
  return isHost.test(host) && isIP(host) === 0 ? host : undefined
}

/** Requests and their window, of at least one second. */
export const rateLimitPattern = '^([1-9][0-9]{0,8})/(?!0+[smh])([0-9]{1,5})([smh])$'

export function parseRateLimit(text: string): RateLimit | undefined {
  const [, requests, window, unit] = new RegExp(rateLimitPattern).exec(text) ?? []
  if (unit === undefined) return undefined
  const seconds = { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h']
  return { requests: Number(requests), windowSeconds: Number(window) * seconds }
}

/** Milliseconds of 1h to 31d. */
export function hoursOrDays(text: string): number | undefined {
  const match = /^(\d{1,3})(h|d)$/.exec(text)
  const hours = match ? Number(match[1]) * { h: 1, d: 24 }[match[2] as 'h' | 'd'] : 0
  return hours >= 1 && hours <= 31 * 24 ? hours * 3_600_000 : undefined
}
