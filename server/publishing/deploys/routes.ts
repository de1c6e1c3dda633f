// Handlers of the operations on deploys.

import { readBody, streamBody } from '#kit/api/read-body.ts'
import { originOf } from '#kit/audit/record-audit.ts'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { type FoundProject, findDeploy } from '../projects/find-project.ts'
import { maxFileBytes, planLimits, planOf } from '../projects/plan-limits.ts'
import { getOwnProject } from '../projects/routes.ts'
import { readReport } from './build-report.ts'
import { createDeploy, type DeployCreation } from './create-deploy.ts'
import { contentHash, findMissing, uploadFilesTransaction } from './files.ts'
import { restoreDeployTransaction } from './finish-deploy.ts'
import { operations } from './operations.ts'
import { checkPaths, receiveArchive } from './receive-archive.ts'
import { listDeploys } from './records/deploy-row.ts'
import type { Deploy } from './records/schema.ts'
import { waitForDeploy } from './wait-for-deploy.ts'

/** Bytes of files that are being uploaded, in the memory of one process. */
const uploadMemory = { maxPermits: 4 * maxFileBytes, maxPermitsPerOwner: 2 * maxFileBytes }
/** Archives that are being received, on the disk of one process. */
const receptionLimits = { maxPermits: 12, maxPermitsPerOwner: 3 }
/** Archives that one process is reading: each has up to two files in memory. */
const readLimits = { maxPermits: 3, maxPermitsPerOwner: 2, maxWaiting: 16, maxWaitMs: 20_000 }
const waitLimits = { maxWaiting: 256, maxWaitMs: 20_000 }

export function deployRoutes(context: PublishingContext): Route[] {
  const { builds, clock, database, freeSpace, platformHost, previewAgeMs } = context
  const { read } = database
  const memory = createFairSemaphore({ ...uploadMemory, ...waitLimits })
  const receptions = createFairSemaphore({ ...receptionLimits, ...waitLimits })
  const reads = createFairSemaphore(readLimits)

  async function begin(
    project: FoundProject,
    name: string | undefined,
    deploy: Omit<DeployCreation, 'projectId' | 'limits' | 'preview'>,
  ): Promise<Deploy> {
    const limits = planLimits[await planOf(read, project)]
    const expiresAt = deploy.origin.at + previewAgeMs
    const preview = name === undefined ? undefined : { name, expiresAt, platformHost }
    const input = { ...deploy, preview, projectId: project.id, limits }
    const number = await createDeploy(database, input)
    const begun = number && (await findDeploy(read, project.id, number))
    if (!begun) throw new AppError('project_not_found', 'The project has been deleted.')
    builds.wake()
    return begun
  }

  return [
    route(operations.listDeploys, async ({ caller, params, query }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      const { before = Number.MAX_SAFE_INTEGER, limit } = query
      const found = await listDeploys(read, project.id, before, limit + 1)
      const items = found.slice(0, limit)
      return { items, next: found.length > limit ? (items.at(-1)?.number ?? null) : null }
    }),
    route(operations.getDeploy, async ({ caller, params, query }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      const { after, wait } = query
      const number = readNumber(params.number)
      const waitMs = wait * 1000
      const deploy = await waitForDeploy(read, project.id, number, after, waitMs, context.stopping)
      if (!deploy) throw deployNotFound()
      return deploy
    }),
    route(operations.getDeployReport, async ({ caller, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      const { number } = await getDeploy(read, project, readNumber(params.number))
      return await readReport(read, { project: project.id, number })
    }),
    route(operations.findMissingFiles, async ({ body, caller, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      return { missing: await findMissing(read, project.id, body.hashes) }
    }),
    route(operations.uploadFile, async ({ caller, params, request }) => {
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      await freeSpace.require()
      const permits = Number(request.headers['content-length'] ?? maxFileBytes)
      const upload = async (): Promise<undefined> => {
        const bytes = await readBody(request, maxFileBytes)
        if (contentHash(bytes) !== params.hash) throw otherContent()
        const limits = planLimits[await planOf(read, project)]
        const files = [{ hash: params.hash, bytes }]
        await database.write(uploadFilesTransaction, {
          projectId: project.id,
          files,
          limits,
          now: clock(),
        })
      }
      return await memory.use(caller.account.id, upload, { permits })
    }),
    route(operations.createDeploy, async (call) => {
      const { body, caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      await freeSpace.require()
      const files = checkPaths(body.files)
      return await begin(project, body.preview, {
        ...{ source: 'folder', createdBy: caller.account.id, files, message: body.message },
        isStrict: body.strict,
        origin: originOf(call, clock()),
      })
    }),
    route(operations.deployArchive, async (call) => {
      const { caller, params, query, request } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      await freeSpace.require()
      const createdBy = caller.account.id
      return await receptions.use(createdBy, async () => {
        const limits = planLimits[await planOf(read, project)]
        const body = streamBody(request, limits.bytes)
        const upload = {
          projectId: project.id,
          body,
          limits,
          inTurn: <T>(work: () => Promise<T>) => reads.use(createdBy, work),
          now: clock(),
        }
        return await receiveArchive(database, upload, (received) =>
          begin(project, query.preview, {
            ...{ source: 'archive', createdBy, message: query.message, ...received },
            isStrict: query.strict === 'true',
            origin: originOf(call, clock()),
          }),
        )
      })
    }),
    route(operations.restoreDeploy, async (call) => {
      const { caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const { number } = await getDeploy(read, project, readNumber(params.number))
      await database.write(restoreDeployTransaction, {
        ...{ project: project.id, number },
        origin: originOf(call, clock()),
      })
      return await getDeploy(read, project, number)
    }),
  ]
}

/** Throws `deploy_not_found`. */
export async function getDeploy(
  session: Session,
  project: FoundProject,
  number: number,
): Promise<Deploy> {
  const deploy = await findDeploy(session, project.id, number)
  if (!deploy) throw deployNotFound()
  return deploy
}

/** The number in a path. Throws `deploy_not_found`. */
export function readNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw deployNotFound()
  return Number(text)
}

function deployNotFound(): AppError {
  return new AppError(
    'deploy_not_found',
    'The project has no such deploy, or the deploy was removed.',
  )
}

function otherContent(): AppError {
  const message = 'hash must be the SHA-256 of the body, in 64 lower-case hexadecimal digits.'
  return new AppError('invalid_parameter', message, { details: [{ path: 'hash', message }] })
}
