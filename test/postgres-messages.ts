// Reads what clients send to PostgreSQL (the frontend/backend protocol, version 3).

const query = 0x51
const sync = 0x53
/** Messages that wait for an answer to what came before them. */
const ends = [query, sync]
/** They have answers of their own, or none. */
const alone = [0x70 /* password */, 0x58 /* terminate */]

/**
 * Gives a function that takes bytes of one connection in order and returns each time what is complete: all messages up to
 * a Sync, which the server answers together.
 */
export function createFlightReader(): (bytes: Buffer) => Buffer[] {
  let unread = Buffer.alloc(0)
  let flight: Buffer[] = []
  let isStarted = false
  return (bytes) => {
    unread = Buffer.concat([unread, bytes])
    const complete: Buffer[] = []
    for (;;) {
      // The first message has no type.
      const start = isStarted ? 1 : 0
      if (unread.length < start + 4) return complete
      const length = start + unread.readInt32BE(start)
      if (unread.length < length) return complete
      const message = unread.subarray(0, length)
      unread = unread.subarray(length)
      flight.push(message)
      const type = message[0] as number
      if (!isStarted || ends.includes(type) || alone.includes(type)) {
        complete.push(Buffer.concat(flight))
        flight = []
      }
      isStarted = true
    }
  }
}
