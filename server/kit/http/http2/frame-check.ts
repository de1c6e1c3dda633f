// Bounds the frames of a connection that carry no request: WINDOW_UPDATE, PRIORITY, DATA of a few bytes, frames of
// unknown types. Node reports most of them to nobody, so that their bytes are counted: what was read, less the heads
// and bodies of requests.
import type { Socket } from 'node:net'
import type { Connection } from '../listener/connections.ts'

/** More than the flow-control window of a connection: bodies that were not read yet count as such frames. */
const maxCreditBytes = 384 * 1024
/** In each check, and for what was sent since the last one: a client opens its window for that. */
const creditOfCheck = 8 * 1024
const sentBytesPerByte = 16

/** Returns a check for each second, which calls `end` for a connection with too many frames. */
export function createFrameCheck(
  socket: Socket,
  connection: Connection,
  end: () => void,
): () => void {
  let credit = maxCreditBytes
  let otherBefore = 0
  let sentBefore = 0
  return () => {
    const sent = socket.bytesWritten
    const other = socket.bytesRead - connection.requestBytes
    const earned = creditOfCheck + (sent - sentBefore) / sentBytesPerByte
    credit = Math.min(maxCreditBytes, credit + earned - (other - otherBefore))
    otherBefore = other
    sentBefore = sent
    if (credit < 0) end()
  }
}

/** Bytes of a head on the wire, at most: its fields as they are, with their lengths, and its frames. */
export function headBytes(rawHeaders: readonly string[]): number {
  let bytes = 9
  for (const text of rawHeaders) bytes += text.length + 4
  return bytes
}
