// Compares a history with a model, as Jepsen does: a history is right if there is an order of its operations in which
// every response is what the model answers. Only one client writes to a subject, one operation after the other, so all
// states that a subject can be in are few, and they are followed from operation to operation:
// - what was acknowledged took effect, once, before its response;
// - what was refused never did;
// - what is unknown took effect at any later time, or never.
import { checkPublishing } from './check-publishing.ts'
import type { Creation, History, Hold, Operation } from './history.ts'
import { animalModel, finalRead, keyModel, type Model } from './models.ts'

/** One state that a subject can be in, and the operations that may still take effect. */
interface Possibility<State> {
  state: State
  pending: Operation[]
}

/** A client sends nothing more about a record of which it does not know so much. */
export const maxPending = 4

/** One line for each violation; empty when the history is right. */
export function checkHistory(history: History): string[] {
  const bySubject = Map.groupBy(history.operations, ({ subject }) => subject)
  const violations = [...bySubject].flatMap(([subject, operations]) => {
    const found = subject.startsWith('key ')
      ? checkSubject(keyModel, operations)
      : checkSubject(animalModel, operations)
    return found === undefined ? [] : [found]
  })
  return [
    ...violations,
    ...checkHolds(history.holds),
    ...checkCreations(history.creations),
    ...checkPublishing(history.publishing),
    ...history.unexpected,
  ]
}

/** The first violation, with what was possible. */
function checkSubject<State>(
  model: Model<State>,
  operations: readonly Operation[],
): string | undefined {
  const dead = findDeadEnd(model, operations)
  return dead && describe(model, dead)
}

interface DeadEnd<State> {
  operation: Operation
  before: readonly Operation[]
  /** The states before it, none of which explains it. */
  reached: readonly Possibility<State>[]
}

function findDeadEnd<State>(
  model: Model<State>,
  operations: readonly Operation[],
): DeadEnd<State> | undefined {
  let possible: Possibility<State>[] = [{ state: model.initial, pending: [] }]
  for (const [i, operation] of operations.entries()) {
    const reached = withPending(model, possible)
    const next = reached.flatMap((each) => follow(model, each, operation))
    if (next.length === 0) return { operation, before: operations.slice(0, i), reached }
    possible = distinct(next)
  }
  return undefined
}

/** Where an operation with this outcome leads to. */
function follow<State>(
  model: Model<State>,
  { pending, state }: Possibility<State>,
  operation: Operation,
): Possibility<State>[] {
  if (operation.outcome === 'refused') return [{ state, pending }]
  if (operation.outcome === 'unknown') return [{ state, pending: [...pending, operation] }]
  const step = model.apply(state, operation)
  if (operation.outcome === 'rejected') return step ? [] : [{ state, pending }]
  return step && isEqual(step.seen, operation.seen) ? [{ state: step.state, pending }] : []
}

/** Every state that can be reached if any of the pending operations take effect now, in any order. */
function withPending<State>(
  model: Model<State>,
  possible: readonly Possibility<State>[],
): Possibility<State>[] {
  const reached = distinct(possible)
  for (const { pending, state } of reached) {
    for (const operation of pending) {
      const step = model.apply(state, operation)
      if (!step) continue
      const rest = pending.filter((each) => each !== operation)
      const next = { state: step.state, pending: rest }
      if (!reached.some((each) => isEqual(each, next))) reached.push(next)
    }
  }
  return reached
}

function distinct<State>(possible: readonly Possibility<State>[]): Possibility<State>[] {
  return [...new Map(possible.map((each) => [JSON.stringify(each), each])).values()]
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

function describe<State>(model: Model<State>, dead: DeadEnd<State>): string {
  const { before, operation, reached } = dead
  const answers = new Set(
    reached.map(({ state }) => JSON.stringify(model.apply(state, operation)?.seen ?? 'rejected')),
  )
  const { client, completedAt, kind, outcome, seen, subject } = operation
  const response = outcome === 'acknowledged' ? JSON.stringify(seen) : outcome
  const at = (completedAt / 1000).toFixed(2)
  return `${classify(model, operation, before)}: ${kind} of ${subject} by client ${client} at ${at} s was answered with ${response}; possible: ${[...answers].join(' or ')}`
}

/** What went wrong: which wrong behaviour would explain the response. */
function classify<State>(
  model: Model<State>,
  operation: Operation,
  before: readonly Operation[],
): string {
  if (operation.kind === finalRead && isDoubled(operation.seen)) return 'doubled'
  const explains = (changed: Operation[]): boolean =>
    findDeadEnd(model, [...changed, operation]) === undefined
  const done = before.map(
    (each): Operation => (each.outcome === 'refused' ? { ...each, outcome: 'unknown' } : each),
  )
  if (explains(done)) return 'changed after a 503'
  const isRead = ['read', 'use', finalRead].includes(operation.kind)
  for (let length = before.length - 1; length >= 0; length--) {
    if (!explains(before.slice(0, length))) continue
    return operation.kind === finalRead || !isRead ? 'lost' : 'stale'
  }
  return 'wrong'
}

function isDoubled(seen: unknown): boolean {
  const { pets } = (seen ?? {}) as { pets?: unknown[] }
  return (pets?.length ?? 0) > 1
}

/** No two clients hold an animal at the same time. */
function checkHolds(holds: readonly Hold[]): string[] {
  return [...Map.groupBy(holds, ({ animal }) => animal)].flatMap(([animal, stays]) => {
    const sorted = stays.toSorted((a, b) => a.heldFrom - b.heldFrom)
    return sorted.flatMap((stay, i) => {
      const before = sorted[i - 1]
      if (!before || before.heldUntil <= stay.heldFrom) return []
      return [`doubled: animal ${animal} was sold to clients ${before.client} and ${stay.client}`]
    })
  })
}

/** Ids ascend: a create that begins after another one was acknowledged has a higher id, and none is given twice. */
function checkCreations(creations: readonly Creation[]): string[] {
  return [...Map.groupBy(creations, ({ sequence }) => sequence)].flatMap(([sequence, of]) => {
    const byInvocation = of.toSorted((a, b) => a.invokedAt - b.invokedAt)
    const byCompletion = of.toSorted((a, b) => a.completedAt - b.completedAt)
    const violations: string[] = []
    const ids = new Set<number>()
    let highest = 0
    let next = 0
    for (const creation of byInvocation) {
      for (; next < byCompletion.length; next++) {
        const completed = byCompletion[next] as Creation
        if (completed.completedAt >= creation.invokedAt) break
        highest = Math.max(highest, completed.id)
      }
      if (creation.id < highest)
        violations.push(`lost: id ${creation.id} of ${sequence} was given after ${highest}`)
      if (ids.has(creation.id)) violations.push(`doubled: id ${creation.id} of ${sequence}`)
      ids.add(creation.id)
    }
    return violations
  })
}
