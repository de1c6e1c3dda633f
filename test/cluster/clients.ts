// Clients of a store under faults: each adds, renames, orders, delivers, cancels and deletes animals of its own, reads them
// again, and competes for a few shared ones. They record what they asked for and what they learned.
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { createRandom } from '../random.ts'
import type { Answer, AskOptions } from '../running-store.ts'
import { maxPending } from './check-history.ts'
import type { History, Operation, Outcome } from './history.ts'

/** Sends a request of one client. Rejects if there is no response. */
export type Send = (client: number, path: string, options?: AskOptions) => Promise<Answer>

export interface LoadOptions {
  send: Send
  history: History
  clients: number
  seed: number
  /** The ids of the animals that all compete for. */
  shared: readonly number[]
  /** Called before each request: waits as long as the rate demands. */
  pace(): Promise<void>
  /** Called for each response, or for none. */
  onAttempt(kind: 'read' | 'write', outcome: Outcome): void
}

/** A record of one client. */
export interface Subject {
  name: string
  /** Undefined as long as its create is not acknowledged. */
  id?: number
  unknown: number
}

interface Wanted {
  kind: string
  subject: Subject
  path: string
  options?: AskOptions
  input?: string
  /** What of the response the model knows. */
  show(response: Answer): unknown
  /** Attempts with the same key, if the outcome of the one before is not known. */
  attempts: number
}

const betweenAttemptsMs = 200
/** Longer than any fault lasts. */
const untilKnown = 600
/** Longer than any limit of the program. */
export const answerWithinMs = 6000

export interface Load {
  /** By its name: the animals, for the check at the end. */
  subjects: Map<string, Subject>
  /** Ends the clients after their current turn. */
  finish(): Promise<void>
}

export function startLoad(options: LoadOptions): Load {
  const subjects = new Map<string, Subject>()
  let finishing = false

  async function run(client: number): Promise<void> {
    const random = createRandom(options.seed * 1009 + client + 1)
    const one = createClient(client, random, options)
    for (let n = 0; !finishing; n++) {
      const subject: Subject = { name: `c${client}-${n}`, unknown: 0 }
      subjects.set(subject.name, subject)
      await one.sellAnimal(subject)
      if (!finishing && random.chance(0.3)) await one.compete(random.pick(options.shared))
    }
  }

  const done = Promise.all(Array.from({ length: options.clients }, (_, client) => run(client)))
  done.catch(() => {})
  return {
    subjects,
    async finish() {
      finishing = true
      await done
    },
  }
}

/** What a response says of the operation. Undefined for one that nothing explains. */
export function outcomeOf(response: Answer | undefined): Outcome | undefined {
  if (!response) return 'unknown'
  const { headers, status } = response
  if (status < 300) return 'acknowledged'
  if (status === 404 || status === 409) return 'rejected'
  if (status === 503) return headers['retry-after'] === undefined ? undefined : 'refused'
  // Of the balancer: its connection broke, or took too long.
  if (status === 502) return 'unknown'
  if (status === 504) return headers['retry-after'] === undefined ? 'unknown' : undefined
  return undefined
}

function createClient(client: number, random: Random, options: LoadOptions) {
  const { history, onAttempt, pace, send } = options
  let requests = 0

  async function attempt(kind: 'read' | 'write', path: string, asked: AskOptions) {
    await pace()
    const response = await send(client, path, { timeoutMs: answerWithinMs, ...asked }).catch(
      () => undefined,
    )
    let outcome = outcomeOf(response)
    if (!outcome) {
      const { headers, status, text } = response as Answer
      const id = headers['x-request-id'] ?? 'no id'
      history.unexpected.push(
        `unexpected: ${asked.method ?? 'GET'} ${path}: ${status} (${id}) ${text.slice(0, 200)}`,
      )
      outcome = 'unknown'
    }
    onAttempt(kind, outcome)
    return { response, outcome }
  }

  /** Sends a write, with one Idempotency-Key for all of its attempts. */
  async function write(wanted: Omit<Wanted, 'show' | 'subject'>) {
    const key = `${client}-${requests++}`
    const headers = { 'idempotency-key': key }
    const invokedAt = performance.now()
    let isUnknown = false
    for (let left = wanted.attempts; ; left--) {
      const { response, outcome } = await attempt('write', wanted.path, {
        ...wanted.options,
        headers,
      })
      const invoked = { invokedAt, completedAt: performance.now() }
      if (outcome === 'acknowledged') return { ...invoked, response, outcome }
      // A 4xx after an unknown attempt may be about what that one has done or will do.
      if (outcome === 'rejected' && !isUnknown) return { ...invoked, response, outcome }
      isUnknown ||= outcome === 'unknown'
      if (left <= 1)
        return {
          ...invoked,
          response: undefined,
          outcome: isUnknown ? 'unknown' : 'refused',
        } as const
      await delay(betweenAttemptsMs)
    }
  }

  async function perform(wanted: Wanted): Promise<Operation> {
    const { input, kind, show, subject } = wanted
    const { response, completedAt, invokedAt, outcome } = await write(wanted)
    const operation: Operation = {
      client,
      subject: subject.name,
      kind,
      ...(input !== undefined && { input }),
      invokedAt,
      completedAt,
      outcome,
      ...(outcome === 'acknowledged' && { seen: show(response as Answer) }),
    }
    history.operations.push(operation)
    if (outcome === 'unknown') subject.unknown++
    return operation
  }

  /** Half of all writes are repeated until they are known, half are left as they are. */
  const attempts = (): number => (random.chance(0.5) ? 1 : 10)

  async function read(subject: Subject): Promise<void> {
    const invokedAt = performance.now()
    const { response, outcome } = await attempt('read', `/pets/${subject.id}`, {})
    if (outcome !== 'acknowledged' && outcome !== 'rejected') return
    history.operations.push({
      client,
      subject: subject.name,
      kind: 'read',
      invokedAt,
      completedAt: performance.now(),
      outcome,
      ...(outcome === 'acknowledged' && { seen: petOf(response as Answer) }),
    })
  }

  async function create(subject: Subject): Promise<boolean> {
    const name = `${subject.name} v0`
    const body = { name, categoryId: client, status: 'available' }
    const { completedAt, invokedAt, outcome } = await perform({
      kind: 'create',
      subject,
      input: name,
      path: '/pets',
      options: { method: 'POST', body },
      attempts: attempts(),
      show(response) {
        subject.id = (response.json as { id: number }).id
        return petOf(response)
      },
    })
    const { id } = subject
    if (outcome !== 'acknowledged' || id === undefined) return false
    history.creations.push({ sequence: 'pets', id, invokedAt, completedAt })
    return true
  }

  const rename = (subject: Subject, version: number): Promise<Operation> => {
    const name = `${subject.name} v${version}`
    return perform({
      kind: 'rename',
      subject,
      input: name,
      path: `/pets/${subject.id}`,
      options: { method: 'PATCH', body: { name } },
      attempts: attempts(),
      show: petOf,
    })
  }

  /** The id of the order, if it is known. */
  async function order(subject: Subject): Promise<number | undefined> {
    let id: number | undefined
    const { completedAt, invokedAt } = await perform({
      kind: 'order',
      subject,
      path: '/store/orders',
      options: { method: 'POST', body: { petId: subject.id } },
      attempts: attempts(),
      show(response) {
        id = (response.json as { id: number }).id
        return statusOf(response)
      },
    })
    if (id !== undefined) history.creations.push({ sequence: 'orders', id, invokedAt, completedAt })
    return id
  }

  const move = (subject: Subject, orderId: number, kind: string): Promise<Operation> =>
    perform({
      kind,
      subject,
      path: `/store/orders/${orderId}/${kind}`,
      options: { method: 'POST' },
      attempts: attempts(),
      show: statusOf,
    })

  const remove = (subject: Subject): Promise<Operation> =>
    perform({
      kind: 'delete',
      subject,
      path: `/pets/${subject.id}`,
      options: { method: 'DELETE' },
      attempts: attempts(),
      show: () => null,
    })

  return {
    /** The life of an animal, as far as what is known of it allows. */
    async sellAnimal(subject: Subject): Promise<void> {
      const isLost = (): boolean => subject.unknown >= maxPending
      if (!(await create(subject))) return
      await read(subject)
      const renames = random.below(4)
      for (let version = 1; version <= renames && !isLost(); version++) {
        await rename(subject, version)
        await read(subject)
      }
      if (isLost()) return
      const orderId = random.chance(0.7) ? await order(subject) : undefined
      await read(subject)
      if (orderId !== undefined && !isLost()) {
        if (random.chance(0.3)) await move(subject, orderId, 'approve')
        await move(subject, orderId, random.pick(['deliver', 'cancel', 'cancel']))
        await read(subject)
      }
      if (!isLost() && random.chance(0.3)) {
        await remove(subject)
        await read(subject)
      }
    },

    /** Orders an animal that others want, too, and cancels the order: never left open, whatever it takes. */
    async compete(animal: number): Promise<void> {
      const placed = await write({
        kind: 'order',
        path: '/store/orders',
        options: { method: 'POST', body: { petId: animal } },
        attempts: untilKnown,
      })
      if (placed.outcome !== 'acknowledged') return
      const { id } = (placed.response as Answer).json as { id: number }
      history.creations.push({ sequence: 'orders', id, ...timesOf(placed) })
      const cancelledAt = performance.now()
      const { completedAt: heldFrom } = placed
      history.holds.push({ client, animal, heldFrom, heldUntil: cancelledAt })
      await write({
        kind: 'cancel',
        path: `/store/orders/${id}/cancel`,
        options: { method: 'POST' },
        attempts: untilKnown,
      })
    },
  }
}

const timesOf = ({ completedAt, invokedAt }: { completedAt: number; invokedAt: number }) => ({
  completedAt,
  invokedAt,
})

function petOf({ json }: Answer): { name: string; status: string } {
  const { name, status } = json as { name: string; status: string }
  return { name, status }
}

function statusOf({ json }: Answer): string {
  return (json as { status: string }).status
}
