/** As Promise.all, but waits until all have ended, and rejects with the error of the first one in the list that failed. */
export async function allInOrder<const Promises extends readonly unknown[]>(promises: Promises) {
  await Promise.allSettled(promises)
  return await Promise.all(promises)
}
