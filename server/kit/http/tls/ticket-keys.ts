// The keys of session tickets, derived from a secret that all nodes share: a new one each day, so that one key reveals
// nothing of other days, and all nodes have the same without communication.
import { hkdfSync } from 'node:crypto'
import type { Clock } from '../../clock.ts'

const dayMs = 24 * 60 * 60_000

/** Gives the key of the moment, the same Buffer all day (UTC). `secret` is 32 random bytes or more. */
export function createTicketKeys(secret: Buffer, clock: Clock): () => Buffer {
  let day = -1
  let keys = Buffer.alloc(0)
  return () => {
    const today = Math.floor(clock() / dayMs)
    if (today !== day) {
      day = today
      keys = Buffer.from(hkdfSync('sha256', secret, '', `TLS session tickets, day ${today}`, 48))
    }
    return keys
  }
}
