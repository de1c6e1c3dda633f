// Shares one run among all that ask at once: a query whose rows many requests need, or one statement for the changes of
// many requests.

const maxRetryDelayMs = 200

interface Run<Batch, Result> {
  /** What a caller may add to. */
  batch: Batch
  result: Promise<Result>
}

/**
 * The returned function gives the next run, which begins after the call, at the end of the turn of the event loop or of
 * the run that is under way. `open` creates its batch. `run` is called for one batch at a time.
 */
export function shareRuns<Batch, Result>(
  open: () => Batch,
  run: (batch: Batch) => Promise<Result>,
): () => Run<Batch, Result> {
  let running: Promise<Result> | undefined
  let startedAt = 0
  let next: Run<Batch, Result> | undefined

  async function begin(batch: Batch): Promise<Result> {
    try {
      await running
      await new Promise((resolve) => setImmediate(resolve))
    } catch (error) {
      // Retry if the run failed quickly, as with a single lost connection; do not retry after a long wait.
      if (performance.now() - startedAt > maxRetryDelayMs) throw error
    } finally {
      next = undefined
    }
    startedAt = performance.now()
    running = run(batch)
    const mine = running
    const done = (): void => {
      if (running === mine) running = undefined
    }
    mine.then(done, done)
    return await mine
  }

  return () => {
    if (!next) {
      const batch = open()
      next = { batch, result: begin(batch) }
    }
    return next
  }
}
