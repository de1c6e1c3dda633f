// The builder of one process: claims deploys with a lease, builds them one at a time, and deletes removed deploys
// in short transactions that can be resumed after a crash.
import type { Clock } from '../../platform/clock.ts'
import { type Database, each } from '../../platform/database/database.ts'
import { deleteInBatches } from '../../platform/jobs/delete-old-rows.ts'
import { startJobRunner } from '../../platform/jobs/job-runner.ts'
import { LeaseLostError, renewWhile } from '../../platform/jobs/lease.ts'
import type { Logger } from '../../platform/log.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import { prepareQuery } from '../database/tables.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { buildDeploy } from './build-deploy.ts'
import {
  type Claim,
  claimDeployTransaction,
  deployLeases,
  leaseOf,
  releaseDeployTransaction,
} from './claims.ts'
import { failDeployTransaction } from './finish-deploy.ts'
import { removeBuilt, removeFiles } from './site-files.ts'

const intervalMs = 2_000
const maxAttempts = 4
const internalFailure =
  'The build failed because of an internal error. Deploy again. If the error persists, contact the operator.'

export interface Builder {
  /** Checks now for deploys to build or to delete. */
  wake(): void
  /** Claims no more deploys and aborts the current build. Another process builds it, or this one after a restart. */
  stop(): Promise<void>
}

/** `onBuilt` is called for each deploy that finished in this process. */
export function startBuilder(
  database: Database,
  clock: Clock,
  log: Logger,
  onBuilt: (result: 'live' | 'failed') => void = () => {},
): Builder {
  let mayHaveRemoved = true

  async function claimNext(): Promise<Claim[]> {
    const now = clock()
    if (await deployLeases.isDue(database.read, { now })) {
      const claim = await database.write(claimDeployTransaction, { now })
      if (claim) return [claim]
    }
    if (mayHaveRemoved) {
      await deleteRemovedDeploys(database)
      mayHaveRemoved = false
    }
    return []
  }

  async function build(claim: Claim, stopping: AbortSignal): Promise<void> {
    const context = { clock, database, log, signal: stopping }
    await renewWhile(deployLeases, leaseOf(claim), context, async (signal) => {
      try {
        if (claim.attempts > maxAttempts) throw new DeployFailure(internalFailure)
        await buildDeploy(database, clock, claim, signal)
        log.info({ projectId: claim.projectId, number: claim.number }, 'deploy is live')
        recordEnd('live')
      } catch (error) {
        await fail(claim, error, stopping).catch((thrown) => {
          // The deploy was removed or claimed by another process in the meantime.
          if (!(thrown instanceof LeaseLostError)) throw thrown
        })
      }
    })
  }

  function recordEnd(result: 'live' | 'failed'): void {
    mayHaveRemoved = true
    onBuilt(result)
  }

  async function fail(claim: Claim, error: unknown, stopping: AbortSignal): Promise<void> {
    const { number, projectId } = claim
    if (error instanceof LeaseLostError || stopping.aborted) {
      log.info({ projectId, number }, 'a build was aborted')
      const release = { claim, counts: false, now: clock() }
      return await database.write(releaseDeployTransaction, release)
    }
    const isDeployFailure = error instanceof DeployFailure
    if (!isDeployFailure) {
      log.error({ projectId, number, err: error }, 'building a deploy failed')
      if (claim.attempts < maxAttempts) {
        const release = { claim, counts: true, now: clock() }
        return await database.write(releaseDeployTransaction, release)
      }
    }
    const failure = isDeployFailure ? error : new DeployFailure(internalFailure)
    await removeBuilt(database, claim)
    await database.write(failDeployTransaction, { claim, failure, now: clock() })
    recordEnd('failed')
  }

  const jobs = startJobRunner<Claim>({
    name: 'building a deploy',
    log,
    maxJobs: 1,
    intervalMs,
    claim: claimNext,
    run: build,
    describe: ({ number, projectId }) => ({ projectId, number }),
  })
  return {
    wake() {
      mayHaveRemoved = true
      jobs.wake()
    },
    stop: jobs.stop,
  }
}

const nextRemoved = prepareQuery()((db) =>
  db.selectFrom('deploys').select(['project_id', 'number']).where('state', '=', 'removed').limit(1),
)
const deleteDeploy = prepareQuery<{ project: string; number: number }>()((db, param) =>
  db
    .deleteFrom('deploys')
    .where('project_id', '=', param('project'))
    .where('number', '=', param('number'))
    .where('state', '=', 'removed'),
)
const deleteDeployTransaction = each(
  async (session, place: { project: string; number: number }) => {
    await lockPublishing(session)
    await session.all(deleteDeploy, place)
  },
)

/** Deletes the files and rows of all removed deploys. */
async function deleteRemovedDeploys(database: Database): Promise<void> {
  await deleteInBatches(async () => {
    const [removed] = await database.read.all(nextRemoved, {})
    if (!removed) return false
    const { number, project_id: project } = removed
    await removeFiles(database, project, Number(number))
    await database.write(deleteDeployTransaction, { project, number: Number(number) })
    return true
  })
}
