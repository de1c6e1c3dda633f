// Batches of requests that are answered together: all had arrived before the first is answered, so that what is read for
// the first is current for the others.

export type RequestBatches = ReturnType<typeof createRequestBatches>

export function createRequestBatches() {
  let number = 0
  let isRunning = false
  let waiting: (() => void)[] = []
  let done: Promise<void> | undefined

  const run = (answers: (() => void)[]): void => {
    number++
    isRunning = true
    try {
      for (const answer of answers) answer()
    } finally {
      isRunning = false
    }
  }

  return {
    /**
     * `answer` is called after what has already arrived was received: in the same turn of the event loop. It must not
     * throw. Returns when its batch was answered.
     */
    add(answer: () => void): Promise<void> {
      waiting.push(answer)
      done ??= new Promise((resolve) => {
        setImmediate(() => {
          const answers = waiting
          waiting = []
          done = undefined
          run(answers)
          resolve()
        })
      })
      return done
    },
    /** Calls `read` once in a batch, and at any other time each time. */
    oncePerBatch<T>(read: () => T): () => T {
      let readIn: number | undefined
      let value: T
      return () => {
        if (!isRunning) return read()
        if (readIn !== number) {
          value = read()
          readIn = number
        }
        return value
      }
    },
  }
}
