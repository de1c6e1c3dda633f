// Clients that write, each request with its own idempotency key, and retry with the same key until there is a
// response, even while the server is down.
import type { Answer, AskOptions } from '../running-store.ts'
import type { Shop } from './shop.ts'

/** Node does not close a connection that it was handing to a worker when that was killed. */
const timeoutMs = 5000

export interface RetryingClients {
  /** Resolves when this many more writes have been acknowledged in total. */
  acknowledged(count: number): Promise<void>
  /** Stops the clients after their current turn. */
  finish(): Promise<void>
  /** The number of attempts without a response, or with a 503 or 504. */
  failures(): number
}

/** Retries a write until the response is a 2xx or one of `refusals`, and resolves with it. */
export type Persist = (write: Write, refusals?: number[]) => Promise<Answer>

export interface Write {
  key: string
  method: string
  path: string
  body?: object
}

/** A kill -9 breaks the connection at once; a restart takes several of these. */
const betweenAttemptsMs = 100

/** Each client repeats `turn`; `n` counts the turns. */
export function startRetryingClients(
  shop: Shop,
  count: number,
  turn: (persist: Persist, client: number, n: number) => Promise<void>,
): RetryingClients {
  const waiting: { count: number; resolve: () => void }[] = []
  let acknowledged = 0
  let failures = 0
  let finishing = false

  async function client(number: number): Promise<void> {
    const agent = shop.connection()
    const persist: Persist = async (write, refusals = []) => {
      for (;;) {
        const answer = await sendWrite(shop, write, { agent }).catch(() => undefined)
        if (answer && (answer.status < 300 || refusals.includes(answer.status))) {
          acknowledged++
          for (const waiter of waiting) if (acknowledged >= waiter.count) waiter.resolve()
          return answer
        }
        if (answer && answer.status !== 503 && answer.status !== 504) {
          throw new Error(`${write.method} ${write.path}: ${answer.status} ${answer.text}`)
        }
        failures++
        await new Promise((resolve) => setTimeout(resolve, betweenAttemptsMs))
      }
    }
    for (let n = 0; !finishing; n++) await turn(persist, number, n)
  }

  const done = Promise.all(Array.from({ length: count }, (_, number) => client(number)))
  done.catch(() => {})
  return {
    failures: () => failures,
    acknowledged: (wanted) =>
      Promise.race([
        new Promise<void>((resolve) => {
          waiting.push({ count: acknowledged + wanted, resolve })
        }),
        done.then(() => {}),
      ]),
    async finish() {
      finishing = true
      await done
    },
  }
}

export function sendWrite(shop: Shop, write: Write, options: AskOptions): Promise<Answer> {
  const { body, key, method, path } = write
  const headers = { 'idempotency-key': key }
  return shop.ask(path, { method, headers, ...(body && { body }), timeoutMs, ...options })
}
