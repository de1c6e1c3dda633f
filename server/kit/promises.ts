// What Promise leaves out: a time limit, and the error of the first that failed in the order of a list.

/** What the promise gives, or what `late` gives or throws if that takes longer. */
export async function within<T, Late>(
  milliseconds: number,
  promise: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  try {
    return await Promise.race([promise, timeUp.then(late)])
  } finally {
    clearTimeout(timer)
  }
}

/** As Promise.all, but waits until all have ended, and rejects with the error of the first one in the list that failed. */
export async function allInOrder<const Promises extends readonly unknown[]>(promises: Promises) {
  await Promise.allSettled(promises)
  return await Promise.all(promises)
}
