// Whether a database takes writes, for /readyz: a standby, a full disk and a lost primary answer reads. Balancers ask
// often and on every node, so an answer counts for a second.

const answerCountsForMs = 1000

/** `write` commits something that changes nothing. The returned function throws as it does. */
export function createWriteCheck(write: () => Promise<unknown>): () => Promise<void> {
  let last: { at: number; answer: Promise<unknown> } | undefined
  return async () => {
    const now = performance.now()
    if (!last || now - last.at >= answerCountsForMs) last = { at: now, answer: write() }
    await last.answer
  }
}
