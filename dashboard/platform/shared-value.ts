// A value outside of components, such as whether the server responds. Components that use it follow its changes.
import { useSyncExternalStore } from 'react'

export function createShared<Value>(initial: Value) {
  let value = initial
  const listeners = new Set<() => void>()
  /** Returns the function that ends the subscription. */
  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get: (): Value => value,
    set(next: Value): void {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe,
    useValue: (): Value => useSyncExternalStore(subscribe, () => value),
  }
}
