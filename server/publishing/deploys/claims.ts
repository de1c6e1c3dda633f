// Who builds a deploy: whoever has its lease, and says so again before it lapses. What a process that died
// had is taken up by another; a deploy that was begun too often has failed.
import { each, findOne } from '../../platform/database/database.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { prepareQuery } from '../database/tables.ts'

/** What a dead process had is taken up after so long; a living one says three times as often that it lives. */
export const leaseMs = 10_000
/** What failed by our own fault is begun again after so long. */
const againAfterMs = 5_000

export interface Claim {
  projectId: string
  number: number
  /** Names this attempt: whoever writes for the deploy shows it. */
  lease: string
  /** How often it has been begun, this time included. */
  attempts: number
}

const oldest = prepareQuery<{ now: number }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(['project_id', 'number', 'attempts'])
    .where('state', 'in', ['uploaded', 'building'])
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', param('now'))]))
    .orderBy('created_at')
    .limit(1),
)
const take = prepareQuery<{ project: string; number: number; lease: string; until: number }>()(
  (db, param) =>
    db
      .updateTable('deploys')
      .set((eb) => ({
        state: 'building',
        lease: param('lease'),
        lease_until: param('until'),
        attempts: eb('attempts', '+', 1n),
        site_files: 0n,
        site_bytes: 0n,
      }))
      .where('project_id', '=', param('project'))
      .where('number', '=', param('number')),
)
const extend = prepareQuery<{ project: string; number: number; lease: string; until: number }>()(
  (db, param) =>
    db
      .updateTable('deploys')
      .set({ lease_until: param('until') })
      .where('project_id', '=', param('project'))
      .where('number', '=', param('number'))
      .where('lease', '=', param('lease'))
      .where('state', '=', 'building')
      .returning('number'),
)

const release = prepareQuery<{
  project: string
  number: number
  lease: string
  attempts: number
  until: number | null
}>()((db, param) =>
  db
    .updateTable('deploys')
    .set({
      state: 'uploaded',
      lease: null,
      lease_until: param('until'),
      attempts: param('attempts'),
    })
    .where('project_id', '=', param('project'))
    .where('number', '=', param('number'))
    .where('lease', '=', param('lease'))
    .where('state', '=', 'building'),
)

/** What there is to build, without taking it. */
export const nextToBuild = oldest

/** Takes the oldest deploy that nobody builds; undefined when there is none. For a group commit. */
export const claiming = each(
  async (session, { lease, now }: { lease: string; now: number }): Promise<Claim | undefined> => {
    await lockPublishing(session)
    const found = await findOne(session, oldest, { now })
    if (!found) return undefined
    const { attempts, number, project_id: project } = found
    await session.all(take, { project, number: Number(number), lease, until: now + leaseMs })
    return { projectId: project, number: Number(number), lease, attempts: Number(attempts) + 1 }
  },
)

/** Says that the work goes on. False when the deploy is no longer ours. For a group commit. */
export const extension = each(async (session, { claim, now }: { claim: Claim; now: number }) => {
  const { lease, number, projectId: project } = claim
  const until = now + leaseMs
  return (await findOne(session, extend, { project, number, lease, until })) !== undefined
})

/**
 * Gives the work back, so that whoever comes next need not wait for the lease. `counts` if this attempt is
 * one of those that a deploy has: then others go first for a while. For a group commit.
 */
export const releasing = each(
  async (session, { claim, counts, now }: { claim: Claim; counts: boolean; now: number }) => {
    const { lease, number, projectId: project } = claim
    const attempts = counts ? claim.attempts : claim.attempts - 1
    const until = counts ? now + againAfterMs : null
    await session.all(release, { project, number, lease, attempts, until })
  },
)

/** The deploy was taken over or removed while it was built: nothing more of this attempt counts. */
export class LostClaim extends Error {
  override readonly name = 'LostClaim'
}
