// Clients that go on in the background of a test, turn after turn, until it has seen enough.

/** Each is called again and again, with the number of its turn. */
export function repeatUntilFinished(turns: ((n: number) => Promise<void>)[]) {
  let isFinishing = false
  const done = Promise.all(
    turns.map(async (take) => {
      for (let n = 0; !isFinishing; n++) await take(n)
    }),
  )
  // `finish` rejects.
  done.catch(() => {})
  return {
    /** Rejects with the first error of one. */
    ended: done,
    /** Ends all of them after their current turn. Rejects as `ended` does. */
    async finish(): Promise<void> {
      isFinishing = true
      await done
    },
  }
}
