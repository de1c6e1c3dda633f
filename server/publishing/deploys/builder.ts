// The builder of one process: claims deploys with a lease, builds one, and beside it one of another owner, so that a
// long build delays only its owner. It deletes removed deploys in short transactions that can be resumed after a crash.

import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { readDatabaseClock } from '#kit/database/read-clock.ts'
import { locked } from '#kit/database/transactions.ts'
import { deleteInBatches } from '#kit/jobs/delete-old-rows.ts'
import { startJobRunner } from '#kit/jobs/job-runner.ts'
import { LeaseLostError, renewWhile } from '#kit/jobs/lease.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { DeployFailure } from '#renderer/site-files/site-file.ts'
import { prepare } from '../database/tables.ts'
import { isStorageOutage, type ObjectReader } from '../objects/read-objects.ts'
import { buildDeploy } from './build-deploy.ts'
import {
  type Claim,
  claimDeployTransaction,
  deployLeases,
  leaseOf,
  releaseDeployTransaction,
} from './claims.ts'
import { removeBuilt, removeFiles } from './files.ts'
import { failDeployTransaction } from './finish-deploy.ts'
import { type DeployKey, deployKey } from './records/deploy-row.ts'

const intervalMs = 2_000
const maxJobs = 2
const maxAttempts = 4
const internalFailure =
  'The build failed because of an internal error. Deploy again. If the error persists, contact the operator.'

/**
 * Builds wait while `hasFreeSpace` is false; deletion goes on. `onBuilt` is called for each deploy that finished in this
 * process.
 */
export function startBuilder(
  database: Database,
  objects: ObjectReader,
  clock: Clock,
  log: Logger,
  hasFreeSpace: () => Promise<boolean>,
  onBuilt: (result: 'live' | 'failed') => void = () => {},
) {
  async function claimNext(free: number): Promise<Claim[]> {
    const claims: Claim[] = []
    while (claims.length < free) {
      const forOthers = free - claims.length < maxJobs
      const isDue = await deployLeases.isDue(database.read, { now: clock(), forOthers })
      if (!isDue || !(await hasFreeSpace())) break
      const now = await readDatabaseClock(database)
      const claim = await database.write(claimDeployTransaction, { now, forOthers })
      if (!claim) break
      claims.push(claim)
    }
    return claims
  }

  async function build(claim: Claim, stopping: AbortSignal): Promise<void> {
    const context = { database, log, signal: stopping }
    await renewWhile(deployLeases, leaseOf(claim), context, async (signal) => {
      try {
        if (claim.attempts > maxAttempts) throw new DeployFailure(internalFailure)
        const place = await buildDeploy(database, objects, clock, claim, signal)
        if (place === 'live')
          log.info({ event: 'deploy.live', ...namesOf(claim) }, 'deploy is live')
        else log.info({ event: 'deploy.preview', ...namesOf(claim) }, 'a preview shows the deploy')
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
    deletion.wake()
    onBuilt(result)
  }

  async function fail(claim: Claim, error: unknown, stopping: AbortSignal): Promise<void> {
    if (error instanceof LeaseLostError || stopping.aborted) {
      log.info({ event: 'deploy.aborted', ...namesOf(claim) }, 'a build was aborted')
      return await release(claim, { counts: false, waits: false })
    }
    if (isStorageOutage(error)) return await release(claim, { counts: false, waits: true })
    const isDeployFailure = error instanceof DeployFailure
    if (!isDeployFailure) {
      log.error(
        { event: 'deploy.failed', ...namesOf(claim), err: error },
        'building a deploy failed',
      )
      if (claim.attempts < maxAttempts) return await release(claim, { counts: true, waits: true })
    }
    const failure = isDeployFailure ? error : new DeployFailure(internalFailure)
    await removeBuilt(database, claim, clock())
    await failDeployTransaction(database, { claim, failure, now: clock() })
    recordEnd('failed')
  }

  async function release(claim: Claim, how: { counts: boolean; waits: boolean }): Promise<void> {
    const now = await readDatabaseClock(database)
    await releaseDeployTransaction(database, claim, how, now)
  }

  const jobs = startJobRunner<Claim>({
    name: 'building a deploy',
    log,
    maxJobs,
    intervalMs,
    claim: claimNext,
    run: build,
    describe: namesOf,
  })
  // Beside the builds, which do not wait for it.
  const deletion = startPollLoop({
    name: 'deleting removed deploys',
    log,
    intervalMs,
    poll: () => deleteRemovedDeploys(database, clock()),
  })
  return {
    /** Checks now for deploys to build or to delete. */
    wake(): void {
      deletion.wake()
      jobs.wake()
    },
    /** Claims no more deploys and aborts those under way. Another process builds them, or this one after a restart. */
    async stop() {
      await Promise.all([jobs.stop(), deletion.stop()])
    },
  }
}

const namesOf = ({ number, project }: DeployKey) => ({ projectId: project, number })

const nextRemoved = prepare.select(
  'deploys',
  ['project_id', 'number'],
  { state: { value: 'removed' } },
  { limit: 1 },
)
const deleteDeploy = prepare.delete('deploys', { ...deployKey, state: { value: 'removed' } })
const deleteDeployTransaction = locked(async (session, deploy: DeployKey) => {
  await session.all(deleteDeploy, deploy)
})

/** Deletes the files and rows of removed deploys. */
async function deleteRemovedDeploys(database: Database, now: number): Promise<void> {
  await deleteInBatches(async () => {
    const [removed] = await database.read.all(nextRemoved, {})
    if (!removed) return false
    const deploy = { project: removed.project_id, number: Number(removed.number) }
    await removeFiles(database, deploy, now)
    await deleteDeployTransaction(database, deploy)
    return true
  })
}
