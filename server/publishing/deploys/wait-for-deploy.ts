// Waits for the progress of a deploy, for clients that show it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '#kit/database/database.ts'
import { findDeploy } from '../projects/find-project.ts'
import type { Deploy } from './records/schema.ts'

/** Short at first, because most deploys are small. */
const firstPollMs = 20
const maxPollMs = 250

/** State and number of files, such as `building:12`. */
export function progressOf({ siteFiles, state }: Deploy): string {
  return `${state}:${siteFiles}`
}

/** True once the build has finished or failed. */
export function isFinished({ state }: Deploy): boolean {
  return state !== 'uploaded' && state !== 'building'
}

/**
 * Resolves with the deploy once its progress differs from `after` (undefined: once it is finished), at the latest
 * after `maxWaitMs`. Undefined if the deploy does not exist.
 */
export async function waitForDeploy(
  session: Session,
  projectId: string,
  number: number,
  after: string | undefined,
  maxWaitMs: number,
  stopping?: AbortSignal,
): Promise<Deploy | undefined> {
  const deadline = performance.now() + maxWaitMs
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    const deploy = await findDeploy(session, projectId, number)
    if (!deploy || isFinished(deploy) || performance.now() >= deadline) return deploy
    if (stopping?.aborted) return deploy
    if (after !== undefined && progressOf(deploy) !== after) return deploy
    await delay(pollMs)
  }
}
