// Writes a response piece by piece, to a client that may stop reading.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { within } from '../../promises.ts'

/** Resolves when there is room for more; rejects when the reader takes nothing within the time. */
export async function writeInTime(
  response: ServerResponse,
  part: string | Uint8Array,
  withinMs: number,
): Promise<void> {
  if (response.write(part) || response.destroyed) return
  const done = new AbortController()
  const room = ['drain', 'close'].map((event) => once(response, event, { signal: done.signal }))
  await within(withinMs, Promise.race(room), () => {
    throw new Error('the reader of a stream takes nothing')
  }).finally(() => done.abort())
}
