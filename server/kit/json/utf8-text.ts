// Decodes bytes without loss: what is not UTF-8 is refused, never replaced by U+FFFD.

import { isUtf8 } from 'node:buffer'
import { type JsonPlace, JsonSyntaxError, locate } from './json-syntax-error.ts'

const REPLACEMENT = '\uFFFD'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)

/** The text of a body, a byte-order mark included; a JsonSyntaxError when it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  if (isUtf8(buffer)) return text
  const place = locateInvalid(buffer, text)
  const byte = buffer.toString('hex', place.offset, place.offset + 1).toUpperCase()
  throw new JsonSyntaxError(place, '', `byte 0x${byte} is not UTF-8; encode the body as UTF-8.`)
}

/** The first U+FFFD that decoding has put in, as opposed to one that was sent. */
function locateInvalid(buffer: Buffer, text: string): JsonPlace {
  let offset = 0
  let from = 0
  for (;;) {
    const at = text.indexOf(REPLACEMENT, from)
    offset += Buffer.byteLength(text.slice(from, at))
    const sent = buffer.subarray(offset, offset + REPLACEMENT_BYTES.length)
    if (!sent.equals(REPLACEMENT_BYTES)) return { ...locate(text, at), offset }
    offset += REPLACEMENT_BYTES.length
    from = at + 1
  }
}
