// Waiting for what becomes of a deploy, for clients that show progress.
import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../../platform/database/database.ts'
import { findDeploy } from '../projects/find-project.ts'
import type { Deploy } from './records/schema.ts'

/** Soon at first, because most deploys are small. */
const firstLookMs = 20
const lookEveryMs = 250

/** State and progress in one word, such as `building:12`. */
export function progressOf({ siteFiles, state }: Deploy): string {
  return `${state}:${siteFiles}`
}

/** True when nothing more happens to it by itself. */
export function isFinished({ state }: Deploy): boolean {
  return state !== 'uploaded' && state !== 'building'
}

/**
 * The deploy once its progress is not `after` any more, or, without it, once it has finished; and at the
 * latest after `withinMs`. Undefined when there is none.
 */
export async function waitForDeploy(
  session: Session,
  projectId: string,
  number: number,
  after: string | undefined,
  withinMs: number,
  stopping?: AbortSignal,
): Promise<Deploy | undefined> {
  const deadline = performance.now() + withinMs
  for (let lookMs = firstLookMs; ; lookMs = Math.min(2 * lookMs, lookEveryMs)) {
    const deploy = await findDeploy(session, projectId, number)
    if (!deploy || isFinished(deploy) || performance.now() >= deadline) return deploy
    if (stopping?.aborted) return deploy
    if (after !== undefined && progressOf(deploy) !== after) return deploy
    await delay(lookMs)
  }
}
