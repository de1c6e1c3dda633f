// A deploy that the test builds, as another process does. It is claimed in the transaction that creates it, so that
// no builder claims it first, and continues when the test says so.
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { type Claim, claimDeployTransaction } from '#publishing/deploys/claims.ts'
import { createDeployInTransaction } from '#publishing/deploys/create-deploy.ts'
import {
  contentHash,
  publishFilesTransaction,
  uploadFilesInTransaction,
} from '#publishing/deploys/files.ts'
import { finishDeployTransaction } from '#publishing/deploys/finish-deploy.ts'
import { planLimits } from '#publishing/projects/plan-limits.ts'
import type { Files } from './publishing-in-test.ts'

export type HeldDeploy = Awaited<ReturnType<typeof holdDeploy>>

export async function holdDeploy(
  database: Database,
  clock: Clock,
  projectId: string,
  sources: Files,
) {
  const files = Object.entries(sources).map(([path, content]) => {
    const bytes = Buffer.from(content as string)
    return { path, bytes, hash: contentHash(bytes) }
  })
  const now = clock()
  const hold = locked(async (session, lease: string): Promise<Claim> => {
    await uploadFilesInTransaction(session, { projectId, files, limits: planLimits.free, now })
    const limits = planLimits.free
    const origin = commandLineOrigin(now)
    const deploy = { projectId, source: 'folder' as const, files, limits, origin }
    const number = await createDeployInTransaction(session, deploy)
    const [claim] = await claimDeployTransaction(session, [{ token: lease, now }])
    if (!claim || claim.number !== number) throw new Error('another deploy was waiting')
    return claim
  })
  const claim = await hold(database, `held-${projectId}-${now}-${files[0]?.hash}`)
  const left = new Map(files.map((file) => [file.path, { ...file, size: file.bytes.length }]))

  /** Publishes one of its files. */
  async function publish(path: string): Promise<void> {
    const file = left.get(path)
    if (file) await publishFilesTransaction(database, { claim, files: [file] })
    left.delete(path)
  }

  return {
    claim,
    publish,
    /** Publishes the remaining files, and makes it live. */
    async finish(kind: 'ready' | 'rendered' = 'ready') {
      for (const path of [...left.keys()]) await publish(path)
      await finishDeployTransaction(database, { claim, kind, now: clock() })
    },
  }
}
