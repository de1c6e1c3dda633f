// Where a deploy goes: to a server over its management API, or to the local database, with or without a
// running server. There the first builder takes it, that of a running server or of this command.

import { setTimeout as delay } from 'node:timers/promises'
import { createManagementClient, ManagementError } from '../../../client/management-client.ts'
import { commandLineOrigin } from '../../platform/audit/record-audit.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import { startBuilder } from '../../publishing/deploys/builder.ts'
import { createDeploy, type SourceFile } from '../../publishing/deploys/create-deploy.ts'
import { findMissing, uploadFilesTransaction } from '../../publishing/deploys/files.ts'
import { watchFreeSpace } from '../../publishing/deploys/free-space.ts'
import { receiveArchive } from '../../publishing/deploys/receive-archive.ts'
import type { Deploy } from '../../publishing/deploys/records/schema.ts'
import { progressOf, waitForDeploy } from '../../publishing/deploys/wait-for-deploy.ts'
import { openBucket } from '../../publishing/object-storage/bucket.ts'
import { createObjectReader } from '../../publishing/object-storage/read-objects.ts'
import { createProjectTransaction } from '../../publishing/projects/change-projects.ts'
import { findDeploy, findProject } from '../../publishing/projects/find-project.ts'
import { planLimits, planOf } from '../../publishing/projects/plan-limits.ts'
import { siteOriginOf } from '../../publishing/projects/site-origin.ts'
import { CommandError } from '../command-line/command.ts'

export interface DeployTarget {
  /** The hashes whose files have to be sent. */
  findMissing(hashes: string[]): Promise<string[]>
  send(hash: string, bytes: Uint8Array): Promise<void>
  begin(files: SourceFile[]): Promise<Deploy>
  sendArchive(bytes: Uint8Array): Promise<Deploy>
  /** Resolves to the deploy when it changes, or after a while. */
  follow(deploy: Deploy): Promise<Deploy>
  /** Where the project is published. */
  address: string
}

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

/** Creates the project where `creates` is true. Throws a CommandError where there is no such project. */
export async function openRemoteTarget(
  url: string,
  token: string,
  slug: string,
  creates: boolean,
): Promise<DeployTarget> {
  const { call } = createManagementClient({ address: url, token, timeoutMs: 10 * 60_000 })
  const params = { slug }
  const project = await call('GET /projects/{slug}', { params }).catch(async (error) => {
    if (!(error instanceof ManagementError) || error.code !== 'project_not_found') throw error
    if (!creates) throw new CommandError(noProject(slug))
    return await call('POST /projects', { body: { name: slug, slug } })
  })
  return {
    address: project.address,
    async findMissing(hashes) {
      const input = { params, body: { hashes } }
      return (await withRetries(() => call('POST /projects/{slug}/files/missing', input))).missing
    },
    async send(hash, bytes) {
      const upload = { upload: bytes as Uint8Array<ArrayBuffer>, type: 'application/octet-stream' }
      const input = { params: { slug, hash }, ...upload }
      await withRetries(() => call('PUT /projects/{slug}/files/{hash}', input))
    },
    begin: (files) => call('POST /projects/{slug}/deploys', { params, body: { files } }),
    sendArchive(bytes) {
      const upload = { upload: bytes as Uint8Array<ArrayBuffer>, type: 'application/octet-stream' }
      return call('POST /projects/{slug}/archives', { params, ...upload })
    },
    follow(deploy) {
      const number = String(deploy.number)
      const input = { params: { slug, number }, query: { wait: 20, after: progressOf(deploy) } }
      return withRetries(() => call('GET /projects/{slug}/deploys/{number}', input))
    },
  }
}

function noProject(slug: string): string {
  return `there is no project ${slug}: create it in the dashboard, or add --create`
}

/** `close` stops building here; another builder continues. Throws a CommandError where there is no such project. */
export async function openLocalTarget(
  database: Database,
  config: Config,
  slug: string,
  creates: boolean,
): Promise<DeployTarget & { close(): Promise<void> }> {
  const { read } = database
  const found = await findProject(read, slug)
  if (!found && !creates) throw new CommandError(noProject(slug))
  const origin = commandLineOrigin(systemClock())
  const input = { name: slug, slug, ownerId: null, maxProjects: 0, origin }
  const project = found ?? (await database.write(createProjectTransaction, input))
  const projectId = project.id
  const limits = planLimits[await planOf(read, project)]
  const log = createLog('silent', false)
  const freeSpace = watchFreeSpace(config, log)
  await freeSpace.require()
  const { objectStorage } = config
  const bucket = objectStorage && openBucket(objectStorage)
  const objects = createObjectReader(bucket, log)
  const builder = startBuilder(database, objects, systemClock, log, freeSpace.isEnough)

  async function begin(
    source: Deploy['source'],
    its: { files: SourceFile[]; archive?: string },
  ): Promise<Deploy> {
    const deploy = {
      projectId,
      source,
      createdBy: null,
      ...its,
      limits,
      origin: commandLineOrigin(systemClock()),
    }
    const number = await createDeploy(database, deploy)
    const begun = number === undefined ? undefined : await findDeploy(read, projectId, number)
    if (!begun) throw new CommandError('the project has been deleted')
    builder.wake()
    return begun
  }

  return {
    address: `${siteOriginOf(config)(project.slug)}/`,
    findMissing: (hashes) => findMissing(read, projectId, hashes),
    async send(hash, bytes) {
      const upload = { projectId, files: [{ hash, bytes }], limits, now: systemClock() }
      await database.write(uploadFilesTransaction, upload)
    },
    begin: (files) => begin('folder', { files }),
    async sendArchive(bytes) {
      const body = (async function* () {
        yield bytes
      })()
      const upload = { projectId, body, limits, now: systemClock() }
      return await receiveArchive(database, upload, (received) => begin('archive', received))
    },
    async follow(deploy) {
      const after = progressOf(deploy)
      const seen = await waitForDeploy(read, projectId, deploy.number, after, 20_000)
      if (!seen) throw new CommandError('the deploy has been removed')
      return seen
    },
    async close() {
      await builder.stop()
      bucket?.close()
    },
  }
}
