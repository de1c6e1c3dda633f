// A stream of chunks, read by whoever wants so and so many bytes next. Nothing is kept but the chunk that
// was begun.

export interface PulledBytes {
  /** The next `count` bytes in a buffer of their own; fewer only at the end. */
  take(count: number): Promise<Uint8Array>
  /** Passes over `count` bytes; gives how many there were. */
  skip(count: number): Promise<number>
}

export function pullBytes(chunks: AsyncIterator<Uint8Array>): PulledBytes {
  let rest: Uint8Array = new Uint8Array(0)

  /** A part of the present chunk, empty only at the end. */
  async function next(most: number): Promise<Uint8Array> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next()
      if (done) return rest
      rest = value
    }
    const part = rest.subarray(0, most)
    rest = rest.subarray(part.length)
    return part
  }

  return {
    async take(count) {
      const bytes = new Uint8Array(count)
      let filled = 0
      while (filled < count) {
        const part = await next(count - filled)
        if (part.length === 0) break
        bytes.set(part, filled)
        filled += part.length
      }
      return bytes.subarray(0, filled)
    },
    async skip(count) {
      let passed = 0
      while (passed < count) {
        const part = await next(count - passed)
        if (part.length === 0) break
        passed += part.length
      }
      return passed
    },
  }
}
