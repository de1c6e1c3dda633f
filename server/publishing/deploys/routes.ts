// The operations on deploys.
import { readBody, streamBody } from '#kit/api/read-body.ts'
import type { Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { toPage } from '#kit/schema/described-schema.ts'
import { maxDeployFileBytes } from '../../../client/values/limits.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { type FoundProject, throwDeleted } from '../projects/find-project.ts'
import { maxArchiveBytes, planLimits, planOf } from '../projects/plan-limits.ts'
import { projectRoutesOf } from '../projects/routes.ts'
import { createDeploy, type DeployCreation } from './create-deploy.ts'
import { contentHash, findMissing, uploadFilesTransaction } from './files.ts'
import { readReport, restoreDeployTransaction } from './finish-deploy.ts'
import { checkPaths, receiveArchive } from './receive-archive.ts'
import { findDeploy, listDeploys, waitForDeploy } from './records/deploy-row.ts'
import {
  Deploy,
  DeployArchiveQuery,
  DeployReport,
  Deploys,
  FileHashes,
  GetDeployQuery,
  ListDeploysQuery,
  MissingFiles,
  NewDeploy,
} from './records/schema.ts'

type Context = Omit<PublishingContext, 'allowances' | 'log'> & { receptions: Receptions }

type Receptions = ReturnType<typeof limitReceptions>

const waitLimits = { maxWaiting: 256, maxWaitMs: 20_000 }

/** What one process receives at once. */
export function limitReceptions() {
  return {
    /** Bytes of files that are being uploaded, in memory. */
    files: createFairSemaphore({
      ...{ maxPermits: 2 * maxDeployFileBytes, maxPermitsPerOwner: maxDeployFileBytes },
      ...waitLimits,
    }),
    /** Archives that are being received, on the disk. */
    archives: createFairSemaphore({ maxPermits: 12, maxPermitsPerOwner: 3, ...waitLimits }),
    /** Archives that are being read: each has up to two files in memory. */
    reads: createFairSemaphore({
      ...{ maxPermits: 3, maxPermitsPerOwner: 2 },
      ...{ maxWaiting: 16, maxWaitMs: 20_000 },
    }),
  }
}

const route = projectRoutesOf<Context>('deploys')

export const deployRoutes = [
  route('GET /projects/{slug}/deploys', 'listDeploys', {
    summary: 'List the deploys of a project, newest first',
    needs: 'read',
    scope: 'projects:read',
    isForDeployTokens: true,
    query: ListDeploysQuery,
    returns: Deploys,
    async handle({ project, query }, { database }) {
      const { before = Number.MAX_SAFE_INTEGER, limit } = query
      const page = { project: project.id, before, max: limit + 1 }
      const deploys = await listDeploys(database.read, page)
      return toPage(deploys, limit, 'number', (deploy) => deploy)
    },
  }),
  route('GET /projects/{slug}/deploys/{number}', 'getDeploy', {
    summary: 'Get a deploy, or wait for its progress',
    needs: 'read',
    scope: 'projects:read',
    isForDeployTokens: true,
    query: GetDeployQuery,
    returns: Deploy,
    errors: ['deploy_not_found'],
    async handle({ params, project, query }, { database, stopping }) {
      const { after, wait } = query
      const number = readNumber(params.number)
      const waitMs = wait * 1000
      const deploy = await waitForDeploy(database.read, project.id, number, after, waitMs, stopping)
      if (!deploy) throw deployNotFound()
      return deploy
    },
  }),
  route('GET /projects/{slug}/deploys/{number}/report', 'getDeployReport', {
    summary: 'Get what the build found in the sources',
    description: 'Broken links, missing images and pages that nothing leads to.',
    needs: 'read',
    scope: 'projects:read',
    isForDeployTokens: true,
    returns: DeployReport,
    errors: ['deploy_not_found'],
    async handle({ params, project }, { database }) {
      const { number } = await getDeploy(database.read, project, readNumber(params.number))
      return await readReport(database.read, { project: project.id, number })
    },
  }),
  route('POST /projects/{slug}/files/missing', 'findMissingFiles', {
    summary: 'Find out which files must be uploaded',
    description: 'The project already has the other files from earlier uploads or deploys.',
    needs: 'edit',
    scope: 'deploys:write',
    isForDeployTokens: true,
    body: FileHashes,
    maxBodyBytes: 2 * 1024 * 1024,
    returns: MissingFiles,
    async handle({ body, project }, { database }) {
      return { missing: await findMissing(database.read, project.id, body.hashes) }
    },
  }),
  route('PUT /projects/{slug}/files/{hash}', 'uploadFile', {
    summary: 'Upload a file',
    description: 'The file is kept for one day, or as long as a deploy uses it.',
    needs: 'edit',
    scope: 'deploys:write',
    isForDeployTokens: true,
    upload: { mediaTypes: ['application/octet-stream'], maxBytes: maxDeployFileBytes },
    isFrequent: true,
    errors: ['limit_reached', 'invalid_parameter'],
    async handle({ caller, params, project, request }, { clock, database, freeSpace, receptions }) {
      await freeSpace.require()
      const permits = Number(request.headers['content-length'] ?? maxDeployFileBytes)
      const upload = async (): Promise<void> => {
        const bytes = await readBody(request, maxDeployFileBytes)
        if (contentHash(bytes) !== params.hash) throw otherContent()
        const limits = planLimits[await planOf(database.read, project)]
        const files = [{ hash: params.hash, bytes }]
        const sent = { projectId: project.id, files, limits, now: clock() }
        await database.write(uploadFilesTransaction, sent)
      }
      await receptions.files.use(caller.account.id, upload, { permits })
    },
  }),
  route('POST /projects/{slug}/deploys', 'createDeploy', {
    summary: 'Deploy uploaded files',
    needs: 'edit',
    scope: 'deploys:write',
    isForDeployTokens: true,
    body: NewDeploy,
    maxBodyBytes: 8 * 1024 * 1024,
    status: 201,
    returns: Deploy,
    errors: ['files_missing', 'limit_reached', 'conflict'],
    async handle({ body, origin, project }, context) {
      await context.freeSpace.require()
      const files = checkPaths(body.files)
      return await begin(context, project, body.preview, {
        ...{ source: 'folder', files, message: body.message },
        isStrict: body.strict,
        origin,
      })
    },
  }),
  route('POST /projects/{slug}/archives', 'deployArchive', {
    summary: 'Deploy an archive',
    description:
      'A .zip or .tar.gz file. If one folder contains all files, it is removed from their paths.',
    needs: 'edit',
    scope: 'deploys:write',
    isForDeployTokens: true,
    query: DeployArchiveQuery,
    upload: {
      mediaTypes: [
        'application/zip',
        'application/gzip',
        'application/x-gzip',
        'application/x-tar',
        'application/octet-stream',
      ],
      maxBytes: maxArchiveBytes,
    },
    status: 201,
    returns: Deploy,
    errors: ['invalid_archive', 'limit_reached', 'conflict'],
    async handle({ caller, origin, project, query, request }, context) {
      const { clock, database, freeSpace, receptions } = context
      await freeSpace.require()
      const { id: owner } = caller.account
      return await receptions.archives.use(owner, async () => {
        const limits = planLimits[await planOf(database.read, project)]
        const body = streamBody(request, limits.bytes)
        const upload = {
          projectId: project.id,
          body,
          limits,
          inTurn: <T>(work: () => Promise<T>) => receptions.reads.use(owner, work),
          now: clock(),
        }
        return await receiveArchive(database, upload, (received) =>
          begin(context, project, query.preview, {
            ...{ source: 'archive', message: query.message, ...received },
            isStrict: query.strict === 'true',
            // The upload may have taken long.
            origin: { ...origin, at: clock() },
          }),
        )
      })
    },
  }),
  route('POST /projects/{slug}/deploys/{number}/restore', 'restoreDeploy', {
    summary: 'Make an earlier deploy live again',
    needs: 'edit',
    scope: 'deploys:write',
    returns: Deploy,
    errors: ['deploy_not_found', 'conflict'],
    async handle({ origin, params, project }, { database }) {
      const { number } = await getDeploy(database.read, project, readNumber(params.number))
      await restoreDeployTransaction(database, { project: project.id, number, origin })
      return await getDeploy(database.read, project, number)
    },
  }),
] as const

/** Throws `deploy_not_found`. */
async function getDeploy(session: Session, project: FoundProject, number: number): Promise<Deploy> {
  const deploy = await findDeploy(session, project.id, number)
  if (!deploy) throw deployNotFound()
  return deploy
}

/** The number in a path. Throws `deploy_not_found`. */
function readNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw deployNotFound()
  return Number(text)
}

async function begin(
  { builds, database, platformHost, previewAgeMs }: Context,
  project: FoundProject,
  name: string | undefined,
  deploy: Omit<DeployCreation, 'projectId' | 'limits' | 'preview'>,
): Promise<Deploy> {
  const limits = planLimits[await planOf(database.read, project)]
  const expiresAt = deploy.origin.at + previewAgeMs
  const preview = name === undefined ? undefined : { name, expiresAt, platformHost }
  const input = { ...deploy, preview, projectId: project.id, limits }
  const number = await createDeploy(database, input)
  builds.wake()
  return (await findDeploy(database.read, project.id, number)) ?? throwDeleted()
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
