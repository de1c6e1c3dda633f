// Domain names in messages and as text (RFC 1035, sections 3.1 and 4.1.4). The text form is lower-case ASCII without
// the trailing dot, the root is the empty string. Other bytes are written `\DDD`, so that every dot separates two labels.

const maxLabelBytes = 63
const maxNameBytes = 255
/** A name has at most this many labels. */
const maxPointers = 127
const backslash = 0x5c

/** The name at `offset` and its end; undefined when it is invalid or exceeds the message. */
export function readName(
  bytes: Uint8Array,
  offset: number,
): { name: string; end: number } | undefined {
  const labels: string[] = []
  let at = offset
  let end: number | undefined
  let length = 1
  let pointers = 0
  while (true) {
    const head = bytes[at]
    if (head === undefined) return undefined
    if (head === 0) return { name: labels.join('.'), end: end ?? at + 1 }
    if (head <= maxLabelBytes) {
      length += head + 1
      if (length > maxNameBytes || at + 1 + head > bytes.length) return undefined
      labels.push(labelText(bytes.subarray(at + 1, at + 1 + head)))
      at += head + 1
      continue
    }
    const low = bytes[at + 1]
    if (head < 0xc0 || low === undefined) return undefined
    const target = ((head & 0x3f) << 8) | low
    pointers += 1
    // Pointers must point back, which excludes loops.
    if (target >= at || pointers > maxPointers) return undefined
    end ??= at + 2
    at = target
  }
}

/** The uncompressed name; undefined when it is invalid (labels of 1 to 63 bytes, 255 bytes in all). */
export function writeName(name: string): Buffer | undefined {
  if (name === '') return Buffer.of(0)
  const parts: Buffer[] = []
  let length = 1
  for (const label of name.split('.')) {
    const bytes = labelBytes(label)
    if (!bytes || bytes.length === 0 || bytes.length > maxLabelBytes) return undefined
    length += bytes.length + 1
    parts.push(Buffer.of(bytes.length), bytes)
  }
  return length > maxNameBytes ? undefined : Buffer.concat([...parts, Buffer.of(0)])
}

/** The name without its first label; undefined for the root. */
export function parentOf(name: string): string | undefined {
  if (name === '') return undefined
  const cut = name.indexOf('.')
  return cut < 0 ? '' : name.slice(cut + 1)
}

/** True for the zone's own name and all names below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`)
}

/** The last labels of the name, one more than `zone` has; the name itself when it is `zone`. */
export function oneBelow(name: string, zone: string): string {
  if (name === zone) return name
  const rest = zone === '' ? name : name.slice(0, -zone.length - 1)
  const label = rest.slice(rest.lastIndexOf('.') + 1)
  return zone === '' ? label : `${label}.${zone}`
}

/** Printable ASCII unchanged, other bytes and the backslash as `\DDD`. */
export function escapeBytes(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    text +=
      byte < 0x20 || byte > 0x7e || byte === backslash ? decimal(byte) : String.fromCharCode(byte)
  }
  return text
}

function labelText(bytes: Uint8Array): string {
  const isSeparate = (char: string) => decimal(char.charCodeAt(0))
  return escapeBytes(bytes).replaceAll(/[ .]/g, isSeparate).toLowerCase()
}

function labelBytes(label: string): Buffer | undefined {
  const bytes: number[] = []
  for (const [part, digits] of label.matchAll(/\\(\d{3})|./gsu)) {
    const byte = digits === undefined ? (part.codePointAt(0) ?? 256) : Number(digits)
    if (byte > 255 || (digits === undefined && (byte > 0x7e || byte === backslash)))
      return undefined
    bytes.push(byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)
  }
  return Buffer.from(bytes)
}

function decimal(byte: number): string {
  return `\\${String(byte).padStart(3, '0')}`
}
