// The current time, for relative times and countdowns. The page has one timer.
import { useSyncExternalStore } from 'react'

const intervalMs = 1000
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, intervalMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Milliseconds since the epoch, updated each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
