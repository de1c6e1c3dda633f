// Domain names in messages and as text (RFC 1035, sections 3.1 and 4.1.4). The text form is lower-case ASCII without
// the trailing dot, the root is the empty string. Other bytes are written `\DDD`, so that every dot separates two labels.

const maxLabelBytes = 63
const maxNameBytes = 255
/** A name has at most this many labels. */
const maxPointers = 127
/** Space, dot, backslash, and what is not printable ASCII. */
const unusualInLabels = /[^!-\-/-[\]-~]/g
const labelForm = /^(?:\\(?:[01]\d\d|2[0-4]\d|25[0-5])|[\0-[\]-~])+$/

/** The name at `offset` and its end; undefined when it is invalid or exceeds the message. */
export function readName(bytes: Buffer, offset: number): { name: string; end: number } | undefined {
  const labels: string[] = []
  let at = offset
  let end: number | undefined
  let length = 1
  let pointers = 0
  while (true) {
    const head = bytes[at]
    if (head === undefined) return undefined
    if (head === 0) return { name: labels.join('.').toLowerCase(), end: end ?? at + 1 }
    if (head <= maxLabelBytes) {
      length += head + 1
      if (length > maxNameBytes || at + 1 + head > bytes.length) return undefined
      labels.push(
        bytes.toString('latin1', at + 1, at + 1 + head).replaceAll(unusualInLabels, escaped),
      )
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
    if (!labelForm.test(label)) return undefined
    const bytes = Buffer.from(label.replaceAll(/\\\d{3}|[A-Z]/g, byteOf), 'latin1')
    if (bytes.length > maxLabelBytes) return undefined
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
export function escapeBytes(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[^ -[\]-~]/g, escaped)
}

function escaped(byte: string): string {
  return `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`
}

/** Of `\DDD` or an upper-case letter: the byte in lower case, which only ASCII has. */
function byteOf(text: string): string {
  const byte = text.length === 1 ? text : String.fromCharCode(Number(text.slice(1)))
  return byte >= 'A' && byte <= 'Z' ? byte.toLowerCase() : byte
}
