// Clients of a store under faults: each adds, renames, orders, delivers, cancels and deletes animals of its own, reads them
// again, and competes for a few shared ones. They record what they asked for and what they learned.
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '../random.ts'
import { repeatUntilFinished } from '../repeat-until-finished.ts'
import type { Answer, AskOptions } from '../running-store.ts'
import { type Availability, createAvailability } from './availability.ts'
import { maxPending } from './check-history.ts'
import { connectClients, createPace, type Pace, type Send } from './connect-clients.ts'
import { createShared, getterOf, recordFinalState } from './final-state.ts'
import { emptyHistory, type History, type Outcome } from './history.ts'

export interface LoadOptions {
  /** Asked for each request. */
  portOf(client: number): number
  /** The API key of production. */
  key: string
  clients: number
  seed: number
  /** Called for each write that was acknowledged. */
  onWritten?: (path: string, options: AskOptions, response: Answer) => void
}

/** A record of one client. */
export interface Subject {
  name: string
  /** Undefined as long as its create is not acknowledged. */
  id?: number | undefined
  unknown: number
}

interface Write {
  path: string
  method: 'DELETE' | 'PATCH' | 'POST'
  body?: object
}

/** What was learned of a request. */
interface Done {
  invokedAt: number
  completedAt: number
  outcome: Outcome
  /** If the outcome is known. */
  response: Answer | undefined
}

const betweenAttemptsMs = 200
/** Longer than any fault lasts. */
const untilKnown = 600
/** Longer than any limit of the program. */
export const answerWithinMs = 6000
/** Few enough for conflicts. */
const sharedAnimals = 3

export type Load = Awaited<ReturnType<typeof startLoad>>

/** Starts the clients once the animals exist that all compete for. */
export async function startLoad(options: LoadOptions) {
  const { clients, key, portOf, seed } = options
  const history = emptyHistory()
  const availability = createAvailability()
  const pace = createPace()
  const { close, send } = connectClients(portOf, key)
  const get = getterOf(portOf(0), key, { timeoutMs: 10_000 })
  const shared = await createShared(get, sharedAnimals)
  const context = { ...options, history, availability, pace, send }
  const subjects = new Map<string, Subject>()

  const { finish } = repeatUntilFinished(
    Array.from({ length: clients }, (_, client) => {
      const random = createRandom(seed * 1009 + client + 1)
      const one = createClient(client, random, context)
      return async (n) => {
        const subject: Subject = { name: `c${client}-${n}`, unknown: 0 }
        subjects.set(subject.name, subject)
        await one.sellAnimal(subject)
        if (random.chance(0.3)) await one.compete(random.pick(shared))
      }
    }),
  )
  return {
    history,
    availability,
    pace,
    get,
    send,
    close,
    /** Ends the clients after their current turn. */
    finish,
    /** The store must serve, and the load must have ended. */
    recordFinalState: () => recordFinalState(history, subjects, get),
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

/** The outcome of a request. What nothing explains is a violation, and its outcome unknown. */
export async function learn(history: History, request: string, sent: Promise<Answer>) {
  const response = await sent.catch(() => undefined)
  const outcome = outcomeOf(response)
  if (outcome) return { response, outcome }
  const { headers, status, text } = response as Answer
  const id = headers['x-request-id'] ?? 'no id'
  history.unexpected.push(`unexpected: ${request}: ${status} (${id}) ${text.slice(0, 200)}`)
  return { response, outcome: 'unknown' as const }
}

interface Context extends LoadOptions {
  history: History
  availability: Availability
  pace: Pace
  send: Send
}

function createClient(client: number, random: Random, context: Context) {
  const { availability, history, onWritten, pace, send } = context
  let requests = 0

  async function attempt(kind: 'read' | 'write', path: string, asked: AskOptions) {
    await pace.next()
    const sent = send(client, path, { timeoutMs: answerWithinMs, ...asked })
    const { outcome, response } = await learn(history, `${asked.method ?? 'GET'} ${path}`, sent)
    availability.record(kind, outcome)
    return { response, outcome }
  }

  /** Sends a write, with one Idempotency-Key for all of its attempts. */
  async function write({ path, ...asked }: Write, attempts: number): Promise<Done> {
    const headers = { 'idempotency-key': `${client}-${requests++}` }
    const invokedAt = performance.now()
    let isUnknown = false
    for (let left = attempts; ; left--) {
      const { response, outcome } = await attempt('write', path, { ...asked, headers })
      const times = { invokedAt, completedAt: performance.now() }
      if (outcome === 'acknowledged') {
        onWritten?.(path, { ...asked, headers }, response as Answer)
        const sequence = sequences[path]
        const id = idOf(response)
        if (sequence && id !== undefined) history.creations.push({ sequence, id, ...times })
        return { ...times, response, outcome }
      }
      // A 4xx after an unknown attempt may be about what that one has done or will do.
      if (outcome === 'rejected' && !isUnknown) return { ...times, response, outcome }
      isUnknown ||= outcome === 'unknown'
      if (left <= 1)
        return { ...times, response: undefined, outcome: isUnknown ? 'unknown' : 'refused' }
      await delay(betweenAttemptsMs)
    }
  }

  /** Half of all writes are repeated until they are known, half are left as they are. */
  async function change(kind: string, subject: Subject, asked: Write, show: Show, input?: string) {
    const done = await write(asked, random.chance(0.5) ? 1 : 10)
    record(kind, subject, done, show, input)
    if (done.outcome === 'unknown') subject.unknown++
    return idOf(done.response)
  }

  async function read(subject: Subject): Promise<void> {
    const invokedAt = performance.now()
    const answer = await attempt('read', `/pets/${subject.id}`, {})
    if (answer.outcome !== 'acknowledged' && answer.outcome !== 'rejected') return
    record('read', subject, { ...answer, invokedAt, completedAt: performance.now() }, petOf)
  }

  function record(kind: string, { name }: Subject, done: Done, show: Show, input?: string): void {
    const { response, ...known } = done
    history.operations.push({
      ...{ client, subject: name, kind, ...known },
      ...(input !== undefined && { input }),
      ...(known.outcome === 'acknowledged' && { seen: show(response as Answer) }),
    })
  }

  return {
    /** The life of an animal, as far as what is known of it allows. */
    async sellAnimal(subject: Subject): Promise<void> {
      const isLost = (): boolean => subject.unknown >= maxPending
      const named = (version: number): string => `${subject.name} v${version}`
      const orders = '/store/orders'
      const body = { name: named(0), categoryId: client, status: 'available' }
      const create = { path: '/pets', method: 'POST', body } as const
      const petId = await change('create', subject, create, petOf, body.name)
      if (petId === undefined) return
      subject.id = petId
      const path = `/pets/${petId}`
      await read(subject)
      const renames = random.below(4)
      for (let version = 1; version <= renames && !isLost(); version++) {
        const name = named(version)
        const rename = { path, method: 'PATCH', body: { name } } as const
        await change('rename', subject, rename, petOf, name)
        await read(subject)
      }
      if (isLost()) return
      const order = { path: orders, method: 'POST', body: { petId } } as const
      const isOrdered = random.chance(0.7)
      const orderId = isOrdered ? await change('order', subject, order, statusOf) : undefined
      await read(subject)
      if (orderId !== undefined && !isLost()) {
        const last = random.pick(['deliver', 'cancel', 'cancel'])
        for (const kind of random.chance(0.3) ? ['approve', last] : [last]) {
          const move = { path: `${orders}/${orderId}/${kind}`, method: 'POST' } as const
          await change(kind, subject, move, statusOf)
        }
        await read(subject)
      }
      if (!isLost() && random.chance(0.3)) {
        await change('delete', subject, { path, method: 'DELETE' }, () => null)
        await read(subject)
      }
    },

    /** Orders an animal that others want, too, and cancels the order: never left open, whatever it takes. */
    async compete(animal: number): Promise<void> {
      const orders = '/store/orders'
      const order = { path: orders, method: 'POST', body: { petId: animal } } as const
      const { completedAt: heldFrom, outcome, response } = await write(order, untilKnown)
      if (outcome !== 'acknowledged') return
      history.holds.push({ client, animal, heldFrom, heldUntil: performance.now() })
      await write({ path: `${orders}/${idOf(response)}/cancel`, method: 'POST' }, untilKnown)
    },
  }
}

/** What of a response the model knows. */
type Show = (response: Answer) => unknown

/** Where new records get ids. */
const sequences: Record<string, string> = { '/pets': 'pets', '/store/orders': 'orders' }

const idOf = (response: Answer | undefined): number | undefined =>
  (response?.json as { id?: number } | undefined)?.id

const petOf: Show = ({ json }) => {
  const { name, status } = json as { name: string; status: string }
  return { name, status }
}

const statusOf: Show = ({ json }) => (json as { status: string }).status
