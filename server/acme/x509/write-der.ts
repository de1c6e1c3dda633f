// Writes and reads DER (ITU-T X.690), as much of it as certificates and requests need. Numbers are unsigned, and every
// function that writes gives one complete element. Reading takes untrusted bytes: it never reads outside of them and
// always terminates, and invalid DER throws a RangeError.

/** One element: the tag, the length in its shortest form, and the parts as content. */
export function element(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

export const sequence = (...parts: Uint8Array[]): Buffer => element(0x30, ...parts)
export const setOf = (...parts: Uint8Array[]): Buffer => element(0x31, ...parts)
export const octetString = (...parts: Uint8Array[]): Buffer => element(0x04, ...parts)
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))
export const truth = (): Buffer => element(0x01, Buffer.from([0xff]))
/** Constructed, of the class that the context defines. */
export const contextTag = (tag: number, ...parts: Uint8Array[]): Buffer =>
  element(0xa0 | tag, ...parts)
/** Primitive, of the class that the context defines. */
export const plainInContext = (tag: number, content: Uint8Array): Buffer =>
  element(0x80 | tag, content)

/** An unsigned number by its bytes, the most significant first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const least = bytes.subarray(start)
  const needsSign = ((least[0] ?? 0) & 0x80) !== 0
  return element(0x02, Buffer.from(needsSign || least.length === 0 ? [0] : []), least)
}

/** `unused` is the number of bits at the end that do not count. */
export function bitString(content: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), content)
}

/** An object identifier, such as `2.5.29.17`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...others].flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80)
    return groups
  })
  return element(0x06, Buffer.from(bytes))
}

/** A moment in whole seconds: UTCTime to the end of 2049, then GeneralizedTime (RFC 5280, section 4.1.2.5). */
export function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`
  return digits < '2050'
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits))
}

interface Element {
  tag: number
  content: Buffer
}

/** The sequence of elements in these bytes. */
export function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = [bytes[at], bytes[at + 1]]
    if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw derError()
    const size = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + size
    if (size > 4 || (first >= 0x80 && size === 0) || start > bytes.length) throw derError()
    const length = size === 0 ? first : bytes.readUIntBE(at + 2, size)
    if (start + length > bytes.length) throw derError()
    elements.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return elements
}

/** The only element of these bytes. */
export function readElement(bytes: Buffer, tag: number): Buffer {
  const [only, ...others] = readElements(bytes)
  if (!only || others.length > 0 || only.tag !== tag) throw derError()
  return only.content
}

/** An object identifier's content as `2.5.29.17`. */
export function readObjectId(content: Buffer): string {
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const [both = 0, ...others] = arcs
  const first = Math.min(2, Math.floor(both / 40))
  return [first, both - first * 40, ...others].join('.')
}

function derError(): RangeError {
  return new RangeError('the bytes are not DER')
}
