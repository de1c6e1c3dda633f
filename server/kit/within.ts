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
