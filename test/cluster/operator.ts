// An operator during the faults: issues API keys, uses them and revokes them, and subscribes a webhook to everything.
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { listenOnFreePort } from '../listen.ts'
import { repeatUntilFinished } from '../repeat-until-finished.ts'
import { type Answer, type AskOptions, ask } from '../running-store.ts'
import { answerWithinMs, outcomeOf } from './clients.ts'
import type { History, Outcome } from './history.ts'

export interface Operator {
  manage(path: string, options?: AskOptions): Promise<Answer>
}

/** Creates the first account. */
export async function signUp(port: number, setUpToken: string): Promise<Operator> {
  const origin = `http://localhost:${port}`
  const base = new URL('/api', origin)
  const body = {
    token: setUpToken,
    email: 'olga@example.com',
    name: 'Olga',
    password: 'a cup of cold coffee',
  }
  const made = await ask(port, base, '', '/set-up', { key: null, headers: { origin }, body })
  if (made.status !== 201) throw new Error(`no account: ${made.status} ${made.text}`)
  const cookie = made.headers['set-cookie']?.split(';')[0] ?? ''
  return {
    manage: (path, { headers, ...options } = {}) =>
      ask(port, base, '', path, { key: null, headers: { origin, cookie, ...headers }, ...options }),
  }
}

interface Attempt {
  invokedAt: number
  completedAt: number
  answer: Answer | undefined
  outcome: Outcome
}

const pauseMs = 500

/** Issues and revokes keys until it is finished. `callWithKey` sends a request to production with a key. */
export function startKeyRotation(
  { manage }: Operator,
  callWithKey: (key: string) => Promise<Answer>,
  history: History,
): { finish(): Promise<void> } {
  async function attempt(request: () => Promise<Answer>): Promise<Attempt> {
    const invokedAt = performance.now()
    const answer = await request().catch(() => undefined)
    const outcome = answer?.status === 401 ? 'rejected' : outcomeOf(answer)
    if (!outcome) history.unexpected.push(`unexpected: API keys: ${answer?.status} ${answer?.text}`)
    return { invokedAt, completedAt: performance.now(), answer, outcome: outcome ?? 'unknown' }
  }

  async function turn(n: number): Promise<void> {
    const subject = `key ${n}`
    const record = (kind: string, { answer: _, ...known }: Attempt, seen: unknown): void => {
      const done = known.outcome === 'acknowledged' && { seen }
      history.operations.push({ client: -2, subject, kind, ...known, ...done })
    }
    const use = async (): Promise<void> => {
      const used = await attempt(() => callWithKey(key))
      if (used.outcome !== 'acknowledged' && used.outcome !== 'rejected') return
      const seen = used.outcome === 'acknowledged' ? 'active' : 'revoked'
      record('use', { ...used, outcome: 'acknowledged' }, seen)
    }

    const timeoutMs = answerWithinMs
    const issued = await attempt(() =>
      manage('/store/production/keys', { body: { label: subject }, timeoutMs }),
    )
    record('issue', issued, null)
    // An unknown key cannot be used.
    if (issued.outcome !== 'acknowledged') return
    const { id, key } = (issued.answer as Answer).json as { id: string; key: string }
    for (let uses = 0; uses < 4; uses++) await use()
    const path = `/store/production/keys/${id}`
    record('revoke', await attempt(() => manage(path, { method: 'DELETE', timeoutMs })), null)
    for (let uses = 0; uses < 4; uses++) await use()
  }

  return repeatUntilFinished([
    async (n) => {
      await turn(n)
      await delay(pauseMs)
    },
  ])
}

export interface Receiver {
  url: string
  /** How often each event was received, by its id, with the id of the animal. */
  received: Map<string, { times: number; type: string; petId: number }>
  close(): void
}

/** A receiver of webhooks that accepts everything. */
export async function startReceiver(): Promise<Receiver> {
  const received: Receiver['received'] = new Map()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { data, type } = JSON.parse(Buffer.concat(chunks).toString())
      const id = String(request.headers['webhook-id'])
      const times = (received.get(id)?.times ?? 0) + 1
      received.set(id, { times, type, petId: data.id })
      response.writeHead(204).end()
    })
  })
  return {
    url: `http://127.0.0.1:${await listenOnFreePort(server)}/`,
    received,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
