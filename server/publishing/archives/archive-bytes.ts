// Reads an uploaded archive from a file descriptor that the caller opens and closes. Always reads at explicit
// positions; the position of the descriptor itself is not used.

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
 * The bytes from `position`, fewer than `length` only at the end of the file. An archive may declare any position
 * up to 2^64, for which `fs.read` would throw; such a position is beyond the end of the file, too.
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

/** The whole file in order, each chunk in a new buffer. */
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

/** A recently read section of the file. */
interface Window {
  start: number
  bytes: Uint8Array
}

/**
 * Lets yauzl read the descriptor. Its own reader closes the descriptor, and throws an uncaught exception if an
 * archive declares a position of 2^64. Keeps two sections, because the directory and the local headers are read
 * alternately, a few bytes each.
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

export type PulledBytes = ReturnType<typeof pullBytes>

/** Reads a stream of chunks by byte counts; holds only the chunk that is being read. */
export function pullBytes(chunks: AsyncIterator<Uint8Array>) {
  let rest: Uint8Array = new Uint8Array(0)

  /** Passes on `count` bytes in parts, with their positions. Returns their number: smaller only at the end. */
  async function pull(count: number, use: (part: Uint8Array, at: number) => void) {
    let passed = 0
    while (passed < count) {
      if (rest.length === 0) {
        const { value, done } = await chunks.next()
        if (done) break
        rest = value
      }
      const part = rest.subarray(0, count - passed)
      rest = rest.subarray(part.length)
      use(part, passed)
      passed += part.length
    }
    return passed
  }

  return {
    /** The next `count` bytes in a new buffer; fewer only at the end. */
    async take(count: number): Promise<Uint8Array> {
      const bytes = new Uint8Array(count)
      return bytes.subarray(0, await pull(count, (part, at) => bytes.set(part, at)))
    },
    /** Skips up to `count` bytes; returns how many were skipped. */
    skip: (count: number): Promise<number> => pull(count, () => {}),
  }
}
