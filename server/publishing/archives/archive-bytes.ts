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

/** The bytes from `position`, fewer than `length` only at the end of the file. */
export async function readAt(fd: number, position: number, length: number): Promise<Uint8Array> {
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

/**
 * Lets yauzl read the descriptor. Its own reader closes the descriptor, and hands a position of 2^64 that
 * an archive claims to `fs.read`, which throws where nobody catches.
 */
export class DescriptorReader extends RandomAccessReader {
  readonly #fd: number
  readonly #size: number

  constructor(fd: number, size: number) {
    super()
    this.#fd = fd
    this.#size = size
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: ReadCallback,
  ): void {
    if (position >= this.#size) setImmediate(callback, null, 0)
    else read(this.#fd, buffer, offset, length, position, callback)
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null)
  }
}
