// Leases of deploys: the process with the lease builds the deploy. After too many attempts it fails.

import { type Expression, sql } from 'kysely'
import { type Database, each, findOne, getOne } from '#kit/database/database.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { type Lease, leasesOf } from '#kit/jobs/lease.ts'
import { type PublishingTables, prepare } from '../database/tables.ts'
import { findProjectById } from '../projects/find-project.ts'
import type { DeployKey } from './records/deploy-row.ts'

/** Delay before a build that failed because of an internal error is retried. */
const retryAfterMs = 5_000

export interface Claim extends DeployKey {
  /** The token of the lease: every write for the deploy checks it. */
  lease: string
  /** Number of build attempts, including this one. */
  attempts: number
}

/**
 * Owners take turns: the one whose last build was longest ago goes first, with its oldest deploy. A deploy has a lease
 * only while it is `building`. With `forOthers`, owners who have a build under way are passed over, so that a long build
 * delays only its owner.
 */
export const deployLeases = leasesOf<PublishingTables>()<{ forOthers: boolean }>()({
  table: 'deploys',
  key: ['project_id', 'number'],
  token: 'lease',
  expiresAt: 'lease_until',
  durationMs: 10_000,
  lock: takeLock,
  due: (db, param, isFree) =>
    db
      .selectFrom('deploys')
      .leftJoin('projects', 'projects.id', 'deploys.project_id')
      .leftJoin('build_turns', (join) =>
        join.on((eb) => eb('build_turns.owner', '=', ownerOf(eb.ref('projects.owner_id')))),
      )
      .select(['deploys.project_id', 'deploys.number'])
      .where('deploys.state', 'in', ['uploaded', 'building'])
      .where(isFree('deploys.lease_until'))
      .where((eb) =>
        eb.or([
          sql<boolean>`not ${param('forOthers')}`,
          eb.not(
            eb.exists(
              eb
                .selectFrom('deploys as other')
                .leftJoin('projects as owned', 'owned.id', 'other.project_id')
                .select('other.number')
                .where('other.state', '=', 'building')
                .where(sql<boolean>`not ${isFree('other.lease_until')}`)
                .where((own) =>
                  own(
                    ownerOf(own.ref('owned.owner_id')),
                    '=',
                    ownerOf(own.ref('projects.owner_id')),
                  ),
                ),
            ),
          ),
        ]),
      )
      .orderBy((eb) => eb.fn.coalesce('build_turns.turn', sql.lit(0n)))
      .orderBy('deploys.created_at')
      .limit(param('max')),
})

/** Operators share the turns of their projects. */
function ownerOf(ownerId: Expression<string | null>) {
  return sql<string>`coalesce(${ownerId}, '')`
}

const lastTurn = prepare.select('build_turns', ['turn'], {}, { orderBy: ['turn desc'], limit: 1 })
const takeTurn = prepare.upsert('build_turns', { owner: 'owner' }, { turn: 'turn' })

const beginBuild = prepare.update(
  'deploys',
  { state: { value: 'building' }, attempts: { add: 1n }, site_files: 0n, site_bytes: 0n },
  { project_id: 'project_id', number: 'number', lease: 'token' },
  ['attempts'],
)
const endBuild = prepare.update(
  'deploys',
  { state: { value: 'uploaded' }, attempts: 'attempts' },
  { project_id: 'project_id', number: 'number', lease: 'token' },
)

type DeployLease = Lease<{ project_id: string; number: bigint }>

export function leaseOf({ lease, number, project }: Claim): DeployLease {
  return { project_id: project, number: BigInt(number), token: lease }
}

/** Claims the next deploy that is not being built; undefined when there is none. */
export const claimDeployTransaction = each(
  async (
    session,
    { forOthers = false, ...given }: { now: number; token?: string; forOthers?: boolean },
  ): Promise<Claim | undefined> => {
    const [lease] = await deployLeases.claim(session, { ...given, forOthers, max: 1 })
    if (!lease) return undefined
    const { attempts } = await getOne(session, beginBuild, lease)
    const owner = (await findProjectById(session, lease.project_id))?.ownerId ?? ''
    const last = await findOne(session, lastTurn, {})
    await session.all(takeTurn, { owner, turn: (last?.turn ?? 0n) + 1n })
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
 * counts towards the maximum; with `waits` the deploy is retried after a delay. `now`: by the database's clock, as the claims.
 */
export const releaseDeployTransaction = locked(
  async (session, claim: Claim, how: { counts: boolean; waits: boolean }, now: number) => {
    const attempts = how.counts ? claim.attempts : claim.attempts - 1
    await session.all(endBuild, { ...leaseOf(claim), attempts })
    const at = how.waits ? now + retryAfterMs : null
    await deployLeases.release(session, { lease: leaseOf(claim), at })
  },
)

const underWay = prepare.count('deploys', { state: { in: ['uploaded', 'building'] } })

/** Deploys that are waiting or being built. */
export async function countDeploysUnderWay({ read }: Database): Promise<number> {
  return Number((await getOne(read, underWay, {})).count)
}
