// Reads DER from untrusted certificates. It never reads outside the given bytes and always terminates; invalid DER
// throws a RangeError.

interface Element {
  tag: number
  content: Buffer
}

/** The sequence of elements in these bytes. */
export function readElements(bytes: Buffer): Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = [bytes[at], bytes[at + 1]]
    if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw derError()
    const size = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + size
    if (size > 4 || (first >= 0x80 && size === 0) || start > bytes.length) throw derError()
    const length = size === 0 ? first : bytes.readUIntBE(at + 2, size)
    if (start + length > bytes.length) throw derError()
    found.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return found
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
