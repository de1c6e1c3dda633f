// Reads user input as a host name, or refuses it with the reason and the fix. A returned name is lower-case
// ASCII, has a registrable domain, and is not reserved.
import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import type { Subject } from './evidence.ts'

/**
 * The display form of a host name in lower-case ASCII. A label is shown in Unicode only if it cannot be mistaken for
 * another one (isSafeLabel), otherwise in ASCII (xn--…), as browsers do.
 */
function unicodeHost(ascii: string): string {
  if (!ascii.includes('xn--')) return ascii
  const labels = ascii.split('.')
  const top = decode(labels.at(-1) ?? '')
  return labels
    .map((label) => {
      const decoded = decode(label)
      return isSafeLabel(decoded, top) ? decoded : label
    })
    .join('.')
}

/** Whether a label that begins with `xn--` is the encoded form of some name, and its only one. */
function isHonestPunycode(label: string): boolean {
  if (!label.startsWith('xn--')) return false
  const decoded = decode(label)
  return decoded !== label && !/^[\x20-\x7f]*$/.test(decoded) && domainToASCII(decoded) === label
}

function decode(label: string): string {
  return label.startsWith('xn--') ? domainToUnicode(label) || label : label
}

/** Letters that look Latin; a label that consists only of them is shown in ASCII. */
const looksLatin: readonly { script: RegExp; letters: RegExp }[] = [
  { script: /\p{Script=Cyrillic}/u, letters: /^[асԁеһіјӏорԛѕԝхуъЬҽпгѵѡкмтвнзь0-9-]+$/u },
  { script: /\p{Script=Greek}/u, letters: /^[αγεηικνορτυχωϲ0-9-]+$/u },
  { script: /\p{Script=Armenian}/u, letters: /^[ագզհոսցքօլնւ0-9-]+$/u },
]

/** Latin letters that look like ASCII ones: dotless, phonetic, small capitals. */
const oddLatin = /[ıȷĸſƅƚ\u0250-\u02af\u1d00-\u1dbf]/u

/** Scripts that are written together (UTS-39, highly restrictive). */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
]

/**
 * Safe is a label of letters, digits and hyphens whose letters are of one script, or of those that Japanese,
 * Korean and Chinese write together, and which does not consist of look-alikes of Latin letters alone,
 * except below a top-level domain of the same script.
 */
function isSafeLabel(label: string, top: string): boolean {
  if (/^[\x20-\x7f]*$/.test(label)) return true
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(label) || oddLatin.test(label)) return false
  const scripts = scriptsOf(label)
  const isOneScript = scripts.size === 1 && !scripts.has('other')
  if (!isOneScript && !together.some((set) => scripts.isSubsetOf(new Set(set)))) return false
  return !looksLatin.some(
    ({ script, letters }) => script.test(label) && letters.test(label) && !script.test(top),
  )
}

const scriptNames = `
  Latin Han Hiragana Katakana Hangul Bopomofo Cyrillic Greek Armenian Arabic Hebrew Devanagari
  Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Khmer Myanmar
  Georgian Ethiopic Tibetan
`
const scriptForms = scriptNames
  .trim()
  .split(/\s+/)
  .map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)

/** Of the letters and marks; what all scripts share (digits, accents, ー) counts for none. */
function scriptsOf(label: string): Set<string> {
  const scripts = new Set<string>()
  for (const char of label) {
    if (/\p{Script=Common}|\p{Script=Inherited}/u.test(char)) continue
    scripts.add(scriptForms.find(([, form]) => form.test(char))?.[0] ?? 'other')
  }
  return scripts
}

/** A host, in both forms, with its place in the registered domain. */
export type Hostname = Subject

/** `refused`: the reason and the fix, as a sentence for the user. */
type HostnameReading = { ok: Hostname; refused?: never } | { ok?: never; refused: string }

export interface PlatformHosts {
  /** Hosts of this server itself, such as the dashboard's. */
  hosts: readonly string[]
  /** The platform host: neither it nor any name below it can be a custom domain. */
  platformHost: string
}

/** RFC 6761, RFC 7686, RFC 8375, and ICANN's `internal`: no authority certifies names below these. */
const notPublic = new Set(['arpa', 'internal', 'invalid', 'local', 'localhost', 'onion'])

/**
 * Trims, takes the host out of a pasted address, and brings it to lower-case ASCII (UTS-46). The caller checks
 * whether a project already has the host.
 */
export function readHostname(
  text: string,
  own: PlatformHosts = { hosts: [], platformHost: '' },
): HostnameReading {
  if (text.length > 2000) return { refused: 'A host name has at most 253 characters.' }
  const typed = cutToHost(text.trim())
  const ascii = domainToASCII(typed).replace(/\.$/, '')
  const fault =
    faultOfText(typed) ??
    (ascii === '' ? unreadable(typed) : (faultOfName(ascii) ?? faultOfOwner(ascii, own)))
  if (fault !== undefined) return { refused: fault }
  const { domain } = parse(ascii, { allowPrivateDomains: true, extractHostname: false })
  if (domain === null) {
    const said = 'is a public suffix: names are registered below it. Enter one of yours, such as'
    return { refused: `${ascii} ${said} example.${ascii}.` }
  }
  const isApex = ascii === domain
  const label = isApex ? '@' : ascii.slice(0, -domain.length - 1)
  return {
    ok: { host: ascii, unicodeHost: unicodeHost(ascii), registrableDomain: domain, label, isApex },
  }
}

/** The host of a pasted URL, without scheme, path and port; any other text unchanged. */
function cutToHost(text: string): string {
  const scheme = /^(?:https?:[/\\]*|(?:[a-z][a-z0-9+.-]*:)?\/\/)/i.exec(text)?.[0] ?? ''
  let host = text.slice(scheme.length).split(/[/?#\\]/, 1)[0] ?? ''
  if (scheme !== '') host = host.slice(host.lastIndexOf('@') + 1)
  if (host.startsWith('[')) return host.replace(/\](:\d*)?$/, ']')
  return isIP(host) === 6 ? host : host.replace(/:\d*$/, '')
}

function faultOfText(text: string): string | undefined {
  if (text === '') return 'Enter a host name, such as docs.example.com.'
  if (/\p{Cc}|\p{Cs}/u.test(text)) return 'The name has a control character in it. Type it by hand.'
  if (/\s/u.test(text)) return 'A host name has no spaces. Remove them.'
  if (isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0) return ipAddress(text)
  if (text.includes('@')) {
    const domain = text.slice(text.lastIndexOf('@') + 1)
    return `This is an e-mail address. Enter a host name, such as ${domain}.`
  }
  if (text.includes('*')) {
    const name = text.replace(/^(\*\.)+/, '')
    const instead = name.includes('*') ? '' : `, such as ${name} or docs.${name}`
    return `A wildcard cannot be added. Add each host by its name${instead}.`
  }
  if (text.includes('%')) return 'The name is percent-encoded. Enter it as it is read.'
  return undefined
}

function unreadable(typed: string): string {
  if (/(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(typed.normalize('NFKC'))) return ipAddress(typed)
  const faulty = [...typed].find(
    (char) => domainToASCII(`a${char}a.com`) === '' && domainToASCII(`${char}.com`) === '',
  )
  if (faulty === undefined) return `"${typed}" is not a name that DNS can hold. Check its spelling.`
  return `A host name cannot have ${shown(faulty)} in it. Remove it.`
}

function faultOfName(ascii: string): string | undefined {
  if (isIP(ascii) !== 0) return ipAddress(ascii)
  if (ascii.length > 253)
    return `A host name has at most 253 characters; this one has ${ascii.length}.`
  const labels = ascii.split('.')
  for (const label of labels) {
    const fault = faultOfLabel(label)
    if (fault !== undefined) return fault
  }
  if (labels.length > 1) return undefined
  if (notPublic.has(ascii)) return notPublicName(ascii)
  return `"${ascii}" is not a full name. Enter all of it, such as docs.example.com.`
}

function faultOfLabel(label: string): string | undefined {
  if (label === '') return 'The name has two dots in a row, or one at its beginning. Remove it.'
  if (label.length > 63) {
    const start = `${label.slice(0, 20)}…`
    return `"${start}" has ${label.length} characters; between two dots there are at most 63.`
  }
  if (label.includes('_'))
    return `"${label}" has an underscore, which no certificate can name. Use a hyphen.`
  const odd = /[^a-z0-9-]/.exec(label)
  if (odd) return `A host name cannot have ${shown(odd[0])} in it. Remove it.`
  if (label.startsWith('-') || label.endsWith('-'))
    return `"${label}" begins or ends with a hyphen, which no host name may.`
  if (/^..--/.test(label) && !isHonestPunycode(label)) {
    const why = label.startsWith('xn--')
      ? 'is not the encoded form of any name'
      : 'has hyphens as its third and fourth characters, which no authority certifies'
    return `"${label}" ${why}. Check its spelling.`
  }
  return undefined
}

function faultOfOwner(host: string, own: PlatformHosts): string | undefined {
  const platformHost = own.platformHost.toLowerCase()
  if (host === platformHost || host.endsWith(`.${platformHost}`))
    return `${host} belongs to this platform already. Enter a domain of your own.`
  if (own.hosts.some((ownHost) => ownHost.toLowerCase() === host))
    return `${host} is an address of this platform itself. Enter a domain of your own.`
  return notPublic.has(host.slice(host.lastIndexOf('.') + 1)) ? notPublicName(host) : undefined
}

function notPublicName(host: string): string {
  const end = host.slice(host.lastIndexOf('.') + 1)
  return `Names that end in .${end} are not in the public DNS. Enter a domain of your own.`
}

function ipAddress(text: string): string {
  return `${text} is read as an IP address. Enter a name, such as docs.example.com.`
}

/** A visible character unchanged, any other as its code point. */
function shown(char: string): string {
  const code = `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(char) ? `"${char}"` : code
}

/** The counterpart of example.com or www.example.com; undefined for other hosts. */
export function wwwPairOf({ isApex, label, registrableDomain }: Hostname): string | undefined {
  if (isApex) return `www.${registrableDomain}`
  return label === 'www' ? registrableDomain : undefined
}
