// Sends much a piece at a time: whoever reads slowly holds one piece of memory, and no more.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createFairSemaphore, type FairSemaphore } from '../../platform/fair-semaphore.ts'

export const pieceBytes = 1024 * 1024
const maxPieceBytes = 4 * pieceBytes

/**
 * How much of a form is read at a time. SQLite reads all of it to find a piece, so that of a large one
 * the pieces are larger, and fewer.
 */
export function pieceBytesFor(length: number): number {
  return Math.min(Math.max(pieceBytes, Math.ceil(length / 16)), maxPieceBytes)
}

/**
 * Resolves when this answer is the one that its connection sends next. A client may ask for many things
 * at once on one connection, and what is made before its turn lies about in memory.
 */
export async function waitForTurn(response: ServerResponse): Promise<void> {
  if (response.req.httpVersionMajor === 2) return await waitForSlot(response)
  if (response.socket !== null || isClosed(response)) return
  await new Promise<void>((resolve) => {
    response.once('socket', () => resolve())
    response.once('close', () => resolve())
  })
}

/** Much that is sent at a time on a connection of HTTP/2, whose answers go out side by side. */
const maxConcurrentResponses = 8

const slotsByConnection = new WeakMap<Socket, FairSemaphore>()

/** Resolves when there is a place for this answer, which holds it until it is closed, or when it is closed. */
async function waitForSlot(response: ServerResponse): Promise<void> {
  if (isClosed(response)) return
  const { socket } = response.req
  const places =
    slotsByConnection.get(socket) ?? createFairSemaphore({ maxPermits: maxConcurrentResponses })
  slotsByConnection.set(socket, places)
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const release = await places.acquire('all', closed).catch(() => undefined)
  if (isClosed(response)) release?.()
  else if (release) response.once('close', release)
}

/** Nobody is there any more. */
export function isClosed(response: ServerResponse): boolean {
  return response.destroyed || response.closed
}

/**
 * Sends `length` bytes from `from` on. `begin` sends the head, once the first piece is there. Ends early
 * when the client goes.
 */
export async function sendPieces(
  response: ServerResponse,
  from: number,
  length: number,
  pieceLength: number,
  read: (from: number, length: number) => Promise<Uint8Array | undefined>,
  begin: () => void,
): Promise<void> {
  const end = from + length
  for (let at = from; at < end; ) {
    const piece = await read(at, Math.min(pieceLength, end - at))
    if (piece === undefined || isClosed(response)) return
    if (at === from) begin()
    at += piece.length
    if (at === end) response.end(piece)
    else if (!response.write(piece)) await drained(response)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
