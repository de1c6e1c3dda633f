// Batches of requests that are answered together: all had arrived before the first is answered, so that what is read for
// the first is current for the others.

export type RequestBatches = ReturnType<typeof createRequestBatches>

/** Makes an answer, and gives what sends it. */
type Answer = () => (() => void) | undefined

export function createRequestBatches() {
  let number = 0
  let waiting: Answer[] = []
  let done: Promise<void> | undefined

  const run = (answers: Answer[]): void => {
    batches.current = ++number
    try {
      for (const end of answers.map((answer) => answer())) end?.()
    } finally {
      batches.current = undefined
    }
  }

  const batches = {
    /** The number of the batch that is being answered: what is read in it need not be read again. */
    current: undefined as number | undefined,
    /**
     * `answer` is called after what has already arrived was received: in the same turn of the event loop. It must not
     * throw. Returns when its batch was answered.
     */
    add(answer: Answer): Promise<void> {
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
  }
  return batches
}
