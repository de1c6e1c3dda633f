// Every acknowledged create was announced to the webhook, and how often deliveries were repeated.
import { setTimeout as delay } from 'node:timers/promises'
import type { History } from './history.ts'
import type { Receiver } from './operator.ts'

export interface Deliveries {
  events: number
  /** Received more than once, with the same id: the attempt before was made by a node that failed. */
  repeated: number
}

/** The lease of a node that was killed ends after a minute. */
const settlesWithinMs = 150_000

export async function checkDeliveries(
  history: History,
  { received }: Receiver,
  log: (line: string) => void,
): Promise<Deliveries> {
  const created = history.creations.filter(({ sequence }) => sequence === 'pets')
  const findMissing = (): number[] => {
    const announced = new Set(
      [...received.values()].filter(({ type }) => type === 'pet.created').map(({ petId }) => petId),
    )
    return created.filter(({ id }) => !announced.has(id)).map(({ id }) => id)
  }
  const until = performance.now() + settlesWithinMs
  let missing = findMissing()
  if (missing.length > 0) log(`waiting for ${missing.length} events`)
  while (missing.length > 0 && performance.now() < until) {
    await delay(1000)
    missing = findMissing()
  }
  if (missing.length > 0)
    history.unexpected.push(`lost: ${missing.length} events, such as of animal ${missing[0]}`)
  const repeated = [...received.values()].filter(({ times }) => times > 1).length
  return { events: received.size, repeated }
}
