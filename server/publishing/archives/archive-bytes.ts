// Reads an uploaded archive from a file descriptor that somebody else opened and closes. Always by
// position: the descriptor's own position is nobody's.

import { fstat, read } from 'node:fs'
import { promisify } from 'node:util'
import { RandomAccessReader } from 'yauzl'

const readAsync = promisify(read)
const fstatAsync = promisify(fstat)

const chunkBytes = 64 * 1024

export async function archiveSize(fd: number): Promise<number> {
  return (await fstatAsync(fd)).size
}

/**
 * The bytes from `position`, fewer than `length` only at the end of the file. An archive may claim any
 * position up to 2^64, at which `fs.read` would throw; there is nothing there either.
 */
export async function readAt(fd: number, position: number, length: number): Promise<Uint8Array> {
  if (!Number.isSafeInteger(position)) return new Uint8Array(0)
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await readAsync(fd, bytes, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** The whole file in order, each piece a buffer of its own. */
export async function* archiveChunks(fd: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const chunk = await readAt(fd, position, chunkBytes)
    if (chunk.length === 0) return
    position += chunk.length
    yield chunk
  }
}

type ReadCallback = (error: Error | null, bytesRead?: number) => void

const windowBytes = 16 * 1024

/** A stretch of the file that was read lately. */
interface Window {
  start: number
  bytes: Uint8Array
}

/**
 * Lets yauzl read the descriptor. Its own reader closes the descriptor, and throws where nobody catches when
 * an archive claims a position of 2^64. Two stretches are kept, because the
 * directory and the headers beside the data are read in turns, a few bytes each.
 */
export class DescriptorReader extends RandomAccessReader {
  readonly #fd: number
  #windows: Window[] = []

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: ReadCallback,
  ): void {
    this.#bytesAt(position, length).then(
      (bytes) => {
        buffer.set(bytes, offset)
        callback(null, bytes.length)
      },
      (error: Error) => callback(error),
    )
  }

  async #bytesAt(position: number, length: number): Promise<Uint8Array> {
    if (length > windowBytes) return await readAt(this.#fd, position, length)
    const window = this.#windows.find(
      ({ start, bytes }) => start <= position && position + length <= start + bytes.length,
    )
    const { start, bytes } = window ?? (await this.#open(position))
    return bytes.subarray(position - start, position - start + length)
  }

  async #open(start: number): Promise<Window> {
    const window = { start, bytes: await readAt(this.#fd, start, windowBytes) }
    this.#windows = [window, ...this.#windows.slice(0, 1)]
    return window
  }
}
