// Sends large files in pieces, so that a slow client occupies the memory of only one piece.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createFairSemaphore, type FairSemaphore } from '#kit/fair-semaphore.ts'

export const pieceBytes = 1024 * 1024
const maxPieceBytes = 4 * pieceBytes

/**
 * The size of the pieces of a form. SQLite reads the whole value to find a piece, so that large forms are read in
 * fewer, larger pieces.
 */
export function pieceBytesFor(length: number): number {
  return Math.min(Math.max(pieceBytes, Math.ceil(length / 16)), maxPieceBytes)
}

/**
 * Resolves when this response is the next one that its connection sends. A client may send many requests on one
 * connection; responses that are created too early would occupy memory.
 */
export async function waitForTurn(response: ServerResponse): Promise<void> {
  if (response.req.httpVersionMajor === 2) return await waitForSlot(response)
  if (response.socket !== null || isClosed(response)) return
  // If the connection closes before, nothing more happens with it, and this is collected with it.
  await new Promise<void>((resolve) => response.once('socket', () => resolve()))
}

/** Maximum number of concurrent large responses on an HTTP/2 connection. */
const maxConcurrentResponses = 8

const slotsByConnection = new WeakMap<Socket, FairSemaphore>()

/** Resolves when the response has a slot, which it holds until it is closed, or when it is closed. */
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

/** Whether the response was closed, or its connection: Node closes the responses that wait on it later, or never. */
export function isClosed(response: ServerResponse): boolean {
  return response.destroyed || response.closed || response.req.socket.destroyed
}

/**
 * Sends `length` bytes, starting at `from`. `begin` sends the headers once the first piece has been read. Stops when
 * the client disconnects.
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
  let at = from
  /** Not part of the loop, which would keep the piece while the next one is read. */
  const write = (piece: Uint8Array | undefined): boolean | undefined => {
    if (piece === undefined || isClosed(response)) return undefined
    if (at === from) begin()
    at += piece.length
    if (at < end) return response.write(piece)
    response.end(piece)
    return true
  }
  while (at < end && !isClosed(response)) {
    const hasRoom = await read(at, Math.min(pieceLength, end - at)).then(write)
    if (hasRoom === undefined) return
    if (!hasRoom) await drained(response)
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
