// The connections of the clients: one each, opened again when it breaks; and the rate at which they send.
import { Agent } from 'node:http'
import { type Answer, type AskOptions, ask } from '../running-store.ts'

/** Sends a request of one client. Rejects if there is no response. */
export type Send = (client: number, path: string, options?: AskOptions) => Promise<Answer>

/** Requests to production at the port that `portOf` gives for a client. */
export function connectClients(
  portOf: (client: number) => number,
  key: string,
): { send: Send; close(): void } {
  const agents = new Map<number, Agent>()
  return {
    async send(client, path, options) {
      const agent = agents.get(client) ?? new Agent({ keepAlive: true, maxSockets: 1 })
      agents.set(client, agent)
      const port = portOf(client)
      const base = new URL(`http://localhost:${port}/v1`)
      return await ask(port, base, key, path, { agent, ...options })
    },
    close() {
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

export interface Pace {
  /** Resolves when the next request may be sent. */
  next(): Promise<void>
  set(perSecond: number): void
}

/** Without a limit until one is set. */
export function createPace(): Pace {
  let intervalMs = 0
  let nextAt = 0
  return {
    async next() {
      if (intervalMs === 0) return
      const now = performance.now()
      // What was not sent during a fault is not made up for.
      nextAt = Math.max(now, nextAt + intervalMs)
      if (nextAt > now) await new Promise((resolve) => setTimeout(resolve, nextAt - now))
    },
    set(perSecond) {
      intervalMs = 1000 / perSecond
    },
  }
}
