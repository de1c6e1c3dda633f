// Reads user input as a host name, or refuses it with the reason and the fix. A returned name is lower-case
// ASCII, has a registrable domain, and is not reserved.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import type { Subject } from '../evidence/evidence.ts'
import { isHonestPunycode, unicodeHost } from './unicode-host.ts'

/** A host, in both forms, with its place in the registered domain. */
export type Hostname = Subject

export type HostnameRefusal =
  | 'empty'
  | 'not_full'
  | 'ip_address'
  | 'email_address'
  | 'public_suffix'
  | 'own_host'
  | 'not_public'
  | 'wildcard'
  | 'underscore'
  | 'too_long'
  | 'not_a_name'

type HostnameReading =
  | { ok: Hostname; refused?: never }
  | { ok?: never; refused: { reason: HostnameRefusal; message: string } }

export interface PlatformHosts {
  /** Hosts of this server itself, such as the dashboard's. */
  hosts: readonly string[]
  /** The platform host: neither it nor any name below it can be a custom domain. */
  platformHost: string
}

/** RFC 6761, RFC 7686, RFC 8375, and ICANN's `internal`: no authority certifies names below these. */
const notPublic = new Set(['arpa', 'internal', 'invalid', 'local', 'localhost', 'onion'])

/**
 * Trims, takes the host out of a pasted address, and brings it to lower-case ASCII (UTS-46).
 * `message` is a sentence for the user. The caller checks whether a project already has the host.
 */
export function readHostname(text: string, own: PlatformHosts): HostnameReading {
  if (text.length > 2000) return refusal('too_long', 'A host name has at most 253 characters.')
  const typed = cutToHost(text.trim())
  const fault = faultOfText(typed)
  if (fault !== undefined) return fault
  const ascii = domainToASCII(typed).replace(/\.$/, '')
  const wrong = ascii === '' ? unreadable(typed) : (faultOfName(ascii) ?? faultOfOwner(ascii, own))
  if (wrong !== undefined) return wrong
  const { domain } = parse(ascii, { allowPrivateDomains: true, extractHostname: false })
  if (domain === null) return refusal('public_suffix', suffixMessage(ascii))
  const isApex = ascii === domain
  const label = isApex ? '@' : ascii.slice(0, -domain.length - 1)
  return {
    ok: { host: ascii, unicodeHost: unicodeHost(ascii), registrableDomain: domain, label, isApex },
  }
}

/** The host of a pasted URL, without scheme, path and port; any other text unchanged. */
function cutToHost(text: string): string {
  const scheme = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.exec(text)?.[0] ?? ''
  let host = text.slice(scheme.length).split(/[/?#\\]/, 1)[0] ?? ''
  if (scheme !== '') host = host.slice(host.lastIndexOf('@') + 1)
  if (host.startsWith('[')) return host.replace(/\](:\d*)?$/, ']')
  return isIP(host) === 6 ? host : host.replace(/:\d*$/, '')
}

function faultOfText(text: string): HostnameReading | undefined {
  if (text === '') return refusal('empty', 'Enter a host name, such as docs.example.com.')
  if (/\p{Cc}|\p{Cs}/u.test(text)) {
    return refusal('not_a_name', 'The name has a control character in it. Type it by hand.')
  }
  if (/\s/u.test(text)) return refusal('not_a_name', 'A host name has no spaces. Remove them.')
  if (isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0) return ipAddress(text)
  if (text.includes('@')) {
    const domain = text.slice(text.lastIndexOf('@') + 1)
    return refusal(
      'email_address',
      `This is an e-mail address. Enter a host name, such as ${domain}.`,
    )
  }
  if (text.includes('*')) {
    const name = text.replace(/^(\*\.)+/, '')
    const instead = name.includes('*') ? '' : `, such as ${name} or docs.${name}`
    return refusal('wildcard', `A wildcard cannot be added. Add each host by its name${instead}.`)
  }
  if (text.includes('%')) {
    return refusal('not_a_name', 'The name is percent-encoded. Enter it as it is read.')
  }
  return undefined
}

function unreadable(typed: string): HostnameReading {
  if (/(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(typed.normalize('NFKC'))) return ipAddress(typed)
  const faulty = [...typed].find(
    (char) => domainToASCII(`a${char}a.com`) === '' && domainToASCII(`${char}.com`) === '',
  )
  if (faulty === undefined) {
    return refusal('not_a_name', `"${typed}" is not a name that DNS can hold. Check its spelling.`)
  }
  return refusal('not_a_name', `A host name cannot have ${shown(faulty)} in it. Remove it.`)
}

function faultOfName(ascii: string): HostnameReading | undefined {
  if (isIP(ascii) !== 0) return ipAddress(ascii)
  if (ascii.length > 253) {
    return refusal(
      'too_long',
      `A host name has at most 253 characters; this one has ${ascii.length}.`,
    )
  }
  const labels = ascii.split('.')
  for (const label of labels) {
    const fault = faultOfLabel(label)
    if (fault !== undefined) return fault
  }
  if (labels.length > 1) return undefined
  if (notPublic.has(ascii)) return notPublicName(ascii)
  return refusal(
    'not_full',
    `"${ascii}" is not a full name. Enter all of it, such as docs.example.com.`,
  )
}

function faultOfLabel(label: string): HostnameReading | undefined {
  if (label === '') {
    return refusal(
      'not_a_name',
      'The name has two dots in a row, or one at its beginning. Remove it.',
    )
  }
  if (label.length > 63) {
    const start = `${label.slice(0, 20)}…`
    return refusal(
      'too_long',
      `"${start}" has ${label.length} characters; between two dots there are at most 63.`,
    )
  }
  if (label.includes('_')) {
    return refusal(
      'underscore',
      `"${label}" has an underscore, which no certificate can name. Use a hyphen.`,
    )
  }
  const odd = /[^a-z0-9-]/.exec(label)
  if (odd)
    return refusal('not_a_name', `A host name cannot have ${shown(odd[0])} in it. Remove it.`)
  if (label.startsWith('-') || label.endsWith('-')) {
    return refusal('not_a_name', `"${label}" begins or ends with a hyphen, which no host name may.`)
  }
  if (/^..--/.test(label) && !isHonestPunycode(label)) {
    const why = label.startsWith('xn--')
      ? 'is not the encoded form of any name'
      : 'has hyphens as its third and fourth characters, which no authority certifies'
    return refusal('not_a_name', `"${label}" ${why}. Check its spelling.`)
  }
  return undefined
}

function faultOfOwner(host: string, own: PlatformHosts): HostnameReading | undefined {
  const platformHost = own.platformHost.toLowerCase()
  if (host === platformHost || host.endsWith(`.${platformHost}`)) {
    return refusal(
      'own_host',
      `${host} belongs to this platform already. Enter a domain of your own.`,
    )
  }
  if (own.hosts.some((ownHost) => ownHost.toLowerCase() === host)) {
    return refusal(
      'own_host',
      `${host} is an address of this platform itself. Enter a domain of your own.`,
    )
  }
  return notPublic.has(host.slice(host.lastIndexOf('.') + 1)) ? notPublicName(host) : undefined
}

function suffixMessage(host: string): string {
  return `${host} is a public suffix: names are registered below it. Enter one of yours, such as example.${host}.`
}

function notPublicName(host: string): HostnameReading {
  const end = host.slice(host.lastIndexOf('.') + 1)
  return refusal(
    'not_public',
    `Names that end in .${end} are not in the public DNS. Enter a domain of your own.`,
  )
}

function ipAddress(text: string): HostnameReading {
  return refusal(
    'ip_address',
    `${text} is read as an IP address. Enter a name, such as docs.example.com.`,
  )
}

/** A visible character unchanged, any other as its code point. */
function shown(char: string): string {
  const code = `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(char) ? `"${char}"` : code
}

function refusal(reason: HostnameRefusal, message: string): HostnameReading {
  return { refused: { reason, message } }
}

/** The other one; undefined for hosts that come alone. */
export function wwwPairOf({ isApex, label, registrableDomain }: Hostname): string | undefined {
  if (isApex) return `www.${registrableDomain}`
  return label === 'www' ? registrableDomain : undefined
}
