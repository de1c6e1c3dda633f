// Where a deploy goes: to a server over its management API, or to the local database, with or without a
// running server. There the first builder takes it, that of a running server or of this command.

import { setTimeout as delay } from 'node:timers/promises'
import { createPasswords } from '#accounts/people/passwords.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { systemClock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { createLog } from '#kit/log.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { startBuilder } from '#publishing/deploys/builder.ts'
import type { SourceFile } from '#publishing/deploys/create-deploy.ts'
import { watchFreeSpace } from '#publishing/deploys/free-space.ts'
import { progressOf } from '#publishing/deploys/records/deploy-row.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { deployRoutes, limitReceptions } from '#publishing/deploys/routes.ts'
import { openBucket } from '#publishing/objects/bucket.ts'
import { createObjectReader } from '#publishing/objects/read-objects.ts'
import { previewRoutes } from '#publishing/previews/routes.ts'
import { createProjectTransaction } from '#publishing/projects/change-projects.ts'
import { findProjectOf } from '#publishing/projects/find-project.ts'
import { siteOriginOf } from '#publishing/projects/site-origin.ts'

import {
  createManagementClient,
  type ManagementClient,
  ManagementError,
} from '../../../client/management-client.ts'
import { CommandError } from '../command-line/command.ts'
import { createLocalManagement } from '../domains/domains-client.ts'

export type DeployTarget = Awaited<ReturnType<typeof openTarget>>

/** Milliseconds before each further attempt. */
const retryDelays = [250, 500, 1000, 2000, 4000]
const retriedStatuses = new Set([0, 429, 502, 503, 504])

/** Retries an idempotent request while the server is busy or restarting. */
async function withRetries<T>(ask: () => Promise<T>): Promise<T> {
  for (const waitMs of retryDelays) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ManagementError && retriedStatuses.has(error.status))) throw error
      await delay(waitMs)
    }
  }
  return await ask()
}

/** What a deploy goes to. */
export interface DeployChoice {
  slug: string
  /** Create the project if there is none. */
  creates: boolean
  /** Problems of the sources fail the deploy. */
  isStrict: boolean
  /** Instead of the site. The password is undefined if it is not to be changed. */
  preview: { name: string; password: string | undefined } | undefined
}

/** Creates the project where `creates` is true. Throws a CommandError where there is no such project. */
export async function openRemoteTarget(
  url: string,
  token: string,
  choice: DeployChoice,
): Promise<DeployTarget> {
  const { creates, slug } = choice
  const { call } = createManagementClient({ address: url, token, timeoutMs: 10 * 60_000 })
  const project = await call('GET /projects/{slug}', { params: { slug } }).catch(async (error) => {
    if (!(error instanceof ManagementError)) throw error
    // A deploy token cannot read the project. The first request of the deploy says whether it is the token's.
    if (error.code === 'insufficient_scope' && !creates) return undefined
    if (error.code !== 'project_not_found') throw error
    if (!creates) throw new CommandError(noProject(slug))
    return await call('POST /projects', { body: { name: slug, slug } })
  })
  return await openTarget(call, choice, project?.address)
}

/** `close` stops building here; another builder continues. Throws a CommandError where there is no such project. */
export async function openLocalTarget(
  database: Database,
  config: Config,
  choice: DeployChoice,
): Promise<DeployTarget & { close(): Promise<void> }> {
  const { creates, slug } = choice
  // The command line is an operator without an account.
  const ownProject = await findProjectOf(database.read, { id: '', role: 'operator' }, slug)
  if (!ownProject && !creates) throw new CommandError(noProject(slug))
  const origin = commandLineOrigin(systemClock())
  const input = { name: slug, slug, ownerId: null, maxProjects: 0, origin }
  const project = ownProject ?? (await createProjectTransaction(database, input))
  const log = createLog('silent', false)
  const freeSpace = watchFreeSpace(config, log)
  await freeSpace.require()
  const { objectStorage, platformHost, previewAgeMs } = config
  const bucket = objectStorage && openBucket(objectStorage)
  const objects = createObjectReader(bucket, log)
  const builds = startBuilder(database, objects, systemClock, log, freeSpace.isEnough)
  const siteOrigin = siteOriginOf(config)
  const context = {
    ...{ builds, clock: systemClock, database, freeSpace, platformHost, previewAgeMs, siteOrigin },
    hashPassword: createPasswords().hashingOf,
    projectsChanged() {},
    receptions: limitReceptions(),
    stopping: new AbortController().signal,
  }
  const { call } = createLocalManagement([
    ...bindRoutes(previewRoutes, context),
    ...bindRoutes(deployRoutes, context),
  ])
  return {
    ...(await openTarget(call, choice, `${siteOrigin(project.slug)}/`)),
    async close() {
      await builds.stop()
      bucket?.close()
    },
  }
}

function noProject(slug: string): string {
  return `there is no project ${slug}: create it in the dashboard, or add --create`
}

/** `address`: of the site. */
async function openTarget(
  call: ManagementClient['call'],
  { isStrict, preview, slug }: DeployChoice,
  address: string | undefined,
) {
  const params = { slug }
  const shown = preview && { preview: preview.name }
  // Before its first deploy, so that nobody sees that without the password.
  const opened =
    preview &&
    (await call('PUT /projects/{slug}/previews/{preview}', {
      params: { slug, preview: preview.name },
      body: preview.password === undefined ? {} : { password: preview.password },
    }))
  return {
    /** Where the project, or the preview, is published; undefined for a token that cannot read the project. */
    address: opened ? opened.address : address,
    /** The hashes whose files have to be sent. */
    async findMissing(hashes: string[]) {
      const input = { params, body: { hashes } }
      return (await withRetries(() => call('POST /projects/{slug}/files/missing', input))).missing
    },
    async send(hash: string, bytes: Uint8Array) {
      const input = { params: { slug, hash }, ...uploadOf(bytes) }
      await withRetries(() => call('PUT /projects/{slug}/files/{hash}', input))
    },
    /** `message` is one line of at most `maxDeployMessageLength` characters. */
    begin(files: SourceFile[], message: string | undefined) {
      const body = { files, ...(message && { message }), ...shown, strict: isStrict }
      return call('POST /projects/{slug}/deploys', { params, body })
    },
    sendArchive(bytes: Uint8Array, message: string | undefined) {
      const strict = isStrict ? 'true' : 'false'
      const query = { ...(message !== undefined && { message }), ...shown, strict } as const
      return call('POST /projects/{slug}/archives', { params, query, ...uploadOf(bytes) })
    },
    /** Resolves to the deploy when it changes, or after a while. */
    follow(deploy: Deploy) {
      const number = String(deploy.number)
      const input = { params: { slug, number }, query: { wait: 20, after: progressOf(deploy) } }
      return withRetries(() => call('GET /projects/{slug}/deploys/{number}', input))
    },
    /** What the build found in the sources. */
    readReport({ number }: Deploy) {
      const input = { params: { slug, number: String(number) } }
      return withRetries(() => call('GET /projects/{slug}/deploys/{number}/report', input))
    },
  }
}

const uploadOf = (bytes: Uint8Array) => ({
  upload: bytes as Uint8Array<ArrayBuffer>,
  type: 'application/octet-stream',
})
