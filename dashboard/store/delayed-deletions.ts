// Animals that are about to be deleted. The IDs of deleted animals are never used again, so a deletion cannot be undone:
// it is sent only when its Undo is over, or when the page is left (with `keepalive`, which outlives the page). If the browser
// crashes before that, the animals are still there: nothing is lost in any case.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { addressOf } from '../../client/management-client.ts'
import { announce, undoMs } from '../platform/announcements.ts'
import { call, explain } from '../platform/api.ts'
import { counted } from '../platform/formats.ts'
import type { EnvironmentName } from '../platform/requests.ts'
import { createShared } from '../platform/shared-value.ts'
import { type Animal, queriesOf } from './store-queries.ts'

interface Deletion {
  environment: EnvironmentName
  animals: { id: number; version: string }[]
  timer: ReturnType<typeof setTimeout>
}

const route = 'POST /store/{environment}/pets/deletions'
/** A little longer than Undo is offered. */
const delayMs = undoMs + 500

const waiting = createShared<readonly Deletion[]>([])
const forget = (deletion: Deletion): void =>
  waiting.set(waiting.get().filter((each) => each !== deletion))

addEventListener('pagehide', () => {
  for (const { animals, environment, timer } of waiting.get()) {
    clearTimeout(timer)
    void fetch(addressOf(route, { params: { environment } }), {
      method: 'POST',
      keepalive: true,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ animals }),
    }).catch(() => {})
  }
  waiting.set([])
})

/** The IDs of animals that lists no longer show. */
export function useDeletedIds(environment: EnvironmentName): ReadonlySet<number> {
  const own = waiting.useValue().filter((each) => each.environment === environment)
  return new Set(own.flatMap(({ animals }) => animals.map(({ id }) => id)))
}

/** Returns a function that deletes animals, unless it is undone. */
export function useDelayedDeletion(environment: EnvironmentName) {
  const client = useQueryClient()
  return useCallback(
    (chosen: Animal[]): void => {
      const animals = chosen.map(({ id, version }) => ({ id, version }))
      const what = chosen.length === 1 ? (chosen[0]?.name ?? '') : counted(chosen.length, 'animal')
      const remove = async (): Promise<void> => {
        try {
          const { items } = await call(route, { params: { environment }, body: { animals } })
          const kept = items.filter(({ problem }) => problem !== null)
          if (kept.length > 0) announce(problemsOf(kept, chosen), { isFailure: true })
        } catch (error) {
          announce(`${what} not deleted. ${explain(error)}`, { isFailure: true })
        }
        await client.invalidateQueries(queriesOf(environment))
        forget(deletion)
      }
      const deletion: Deletion = {
        environment,
        animals,
        timer: setTimeout(() => void remove(), delayMs),
      }
      waiting.set([...waiting.get(), deletion])
      announce(`${what} deleted.`, {
        async undo() {
          clearTimeout(deletion.timer)
          forget(deletion)
        },
      })
    },
    [client, environment],
  )
}

type Outcome = { id: number; problem: { code: string; message: string } | null }

/** Why some animals are as before: one sentence for each of the first ones. */
export function problemsOf(items: Outcome[], animals: Pick<Animal, 'id' | 'name'>[]): string {
  const names = new Map(animals.map(({ id, name }) => [id, name]))
  const sentences = items.flatMap(({ id, problem }) =>
    problem ? [`${names.get(id) ?? id}: ${wordsOf(problem)}`] : [],
  )
  const rest = sentences.length - maxSentences
  return [...sentences.slice(0, maxSentences), rest > 0 ? `And ${counted(rest, 'more')}.` : '']
    .join(' ')
    .trim()
}

const maxSentences = 3

function wordsOf({ code, message }: { code: string; message: string }): string {
  return code === 'precondition_failed' ? 'Changed by somebody else meanwhile.' : message
}
