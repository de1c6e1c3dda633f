// Whether the server responds. A failed request asks for its health; during an outage this is repeated until it responds.
import { useSyncExternalStore } from 'react'

const repeatAfterMs = 3000
const timeoutMs = 5000

let hasOutage = false
let isAsking = false
const listeners = new Set<() => void>()

/** After a request without a response, or a response of a proxy that cannot reach the server. */
export function suspectOutage(): void {
  if (!isAsking) void askUntilHealthy()
}

/** Whether the server does not respond. */
export function useOutage(): boolean {
  return useSyncExternalStore(subscribeToOutage, () => hasOutage)
}

/** Calls `listener` when an outage begins or ends. Returns the function that ends the subscription. */
export function subscribeToOutage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `fetch` that suspects an outage when there is no response of the program. */
export const watchedFetch: typeof fetch = async (url, init) => {
  try {
    const response = await fetch(url, init)
    if (response.status === 502 || response.status === 504) suspectOutage()
    return response
  } catch (error) {
    if (init?.signal?.aborted !== true) suspectOutage()
    throw error
  }
}

async function askUntilHealthy(): Promise<void> {
  isAsking = true
  while (!(await isHealthy())) {
    setOutage(true)
    await new Promise((resolve) => setTimeout(resolve, repeatAfterMs))
  }
  isAsking = false
  setOutage(false)
}

/** Whether the server responds now. Never rejects. */
export async function isHealthy(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    return (await fetch('/healthz', { cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}

function setOutage(is: boolean): void {
  if (is === hasOutage) return
  hasOutage = is
  for (const listener of listeners) listener()
}

addEventListener('offline', suspectOutage)
