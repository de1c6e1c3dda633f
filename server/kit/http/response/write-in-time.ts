// Writing an answer piece by piece, to a reader who need not take it.
import type { ServerResponse } from 'node:http'

/** Resolves when there is room for more; rejects when the reader takes nothing within the time. */
export async function writeInTime(
  response: ServerResponse,
  part: string | Uint8Array,
  withinMs: number,
): Promise<void> {
  if (response.write(part) || response.destroyed) return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      response.off('drain', done)
      response.off('close', done)
      reject(new Error('the reader of a stream takes nothing'))
    }, withinMs)
    const done = (): void => {
      clearTimeout(timer)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
