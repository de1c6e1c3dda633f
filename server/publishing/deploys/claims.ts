// Leases of deploys: the process with the lease builds the deploy. After too many attempts it fails.
import { type Database, each, getOne } from '../../platform/database/database.ts'
import { type Lease, leasesOf } from '../../platform/jobs/lease.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '../database/tables.ts'
import type { DeployKey } from './records/deploy-row.ts'

/** Delay before a build that failed because of an internal error is retried. */
const retryAfterMs = 5_000

export interface Claim extends DeployKey {
  /** The token of the lease: every write for the deploy checks it. */
  lease: string
  /** Number of build attempts, including this one. */
  attempts: number
}

/** The oldest first. A deploy has a lease only while it is `building`. */
export const deployLeases = leasesOf<PublishingTables>()()({
  table: 'deploys',
  key: ['project_id', 'number'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 10_000,
  lock: lockPublishing,
  due: (db, param) =>
    db
      .selectFrom('deploys')
      .select(['project_id', 'number'])
      .where('state', 'in', ['uploaded', 'building'])
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', param('now'))]))
      .orderBy('created_at')
      .limit(param('max')),
})

const beginBuild = prepareQuery<DeployLease>()((db, param) =>
  db
    .updateTable('deploys')
    .set((eb) => ({
      state: 'building',
      attempts: eb('attempts', '+', 1n),
      site_files: 0n,
      site_bytes: 0n,
    }))
    .where((eb) => eb.and({ project_id: param('project_id'), number: param('number') }))
    .where('lease', '=', param('token'))
    .returning('attempts'),
)
const endBuild = prepareQuery<DeployLease & { attempts: number }>()((db, param) =>
  db
    .updateTable('deploys')
    .set({ state: 'uploaded', attempts: param('attempts') })
    .where((eb) => eb.and({ project_id: param('project_id'), number: param('number') }))
    .where('lease', '=', param('token')),
)

type DeployLease = Lease<{ project_id: string; number: bigint }>

export function leaseOf({ lease, number, project }: Claim): DeployLease {
  return { project_id: project, number: BigInt(number), token: lease }
}

/** Claims the oldest deploy that is not being built; undefined when there is none. */
export const claimDeployTransaction = each(
  async (session, { now, token }: { now: number; token?: string }): Promise<Claim | undefined> => {
    const [lease] = await deployLeases.claim(session, { now, max: 1, ...(token && { token }) })
    if (!lease) return undefined
    const { attempts } = await getOne(session, beginBuild, lease)
    return {
      project: lease.project_id,
      number: Number(lease.number),
      lease: lease.token,
      attempts: Number(attempts),
    }
  },
)

/**
 * Releases a deploy, so that other processes need not wait until the lease expires. With `counts` this attempt
 * counts towards the maximum, and the deploy is retried after a delay.
 */
export const releaseDeployTransaction = each(
  async (session, { claim, counts, now }: { claim: Claim; counts: boolean; now: number }) => {
    await lockPublishing(session)
    const attempts = counts ? claim.attempts : claim.attempts - 1
    await session.all(endBuild, { ...leaseOf(claim), attempts })
    const at = counts ? now + retryAfterMs : null
    await deployLeases.release(session, { lease: leaseOf(claim), at })
  },
)

const underWay = prepareQuery()((db) =>
  db
    .selectFrom('deploys')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('state', 'in', ['uploaded', 'building']),
)

/** Deploys that are waiting or being built. */
export async function countDeploysUnderWay({ read }: Database): Promise<number> {
  return Number((await getOne(read, underWay, {})).count)
}
