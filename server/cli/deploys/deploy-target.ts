// Where a deploy goes: to a server over its management API, or straight into the database of this one.
import { setTimeout as delay } from 'node:timers/promises'
import { createManagementClient, ManagementError } from '../../../client/management-client.ts'
import type { SourceFile } from '../../publishing/deploys/create-deploy.ts'
import type { Deploy } from '../../publishing/deploys/records/schema.ts'
import { progressOf } from '../../publishing/deploys/wait-for-deploy.ts'
import { CommandError } from '../command-line/command.ts'

export interface DeployTarget {
  /** Those of the hashes that have to be sent. */
  findMissing(hashes: string[]): Promise<string[]>
  send(hash: string, bytes: Uint8Array): Promise<void>
  begin(files: SourceFile[]): Promise<Deploy>
  sendArchive(bytes: Uint8Array): Promise<Deploy>
  /** The deploy once something has happened to it, or after a while. */
  follow(deploy: Deploy): Promise<Deploy>
  /** Where the project is published. */
  address: string
}

/** Milliseconds before each further attempt. */
const patience = [250, 500, 1000, 2000, 4000]
const passing = new Set([0, 429, 502, 503, 504])

/** For what may be asked twice: again while the server is busy, or starts anew. */
async function persistently<T>(ask: () => Promise<T>): Promise<T> {
  for (const waitMs of patience) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ManagementError && passing.has(error.status))) throw error
      await delay(waitMs)
    }
  }
  return await ask()
}

/** Throws a CommandError when there is no such project; makes it first where `creates` says so. */
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
      return (await persistently(() => call('POST /projects/{slug}/files/missing', input))).missing
    },
    async send(hash, bytes) {
      const upload = { upload: bytes as Uint8Array<ArrayBuffer>, type: 'application/octet-stream' }
      const input = { params: { slug, hash }, ...upload }
      await persistently(() => call('PUT /projects/{slug}/files/{hash}', input))
    },
    begin: (files) => call('POST /projects/{slug}/deploys', { params, body: { files } }),
    sendArchive(bytes) {
      const upload = { upload: bytes as Uint8Array<ArrayBuffer>, type: 'application/octet-stream' }
      return call('POST /projects/{slug}/archives', { params, ...upload })
    },
    follow(deploy) {
      const number = String(deploy.number)
      const input = { params: { slug, number }, query: { wait: 20, after: progressOf(deploy) } }
      return persistently(() => call('GET /projects/{slug}/deploys/{number}', input))
    },
  }
}

export function noProject(slug: string): string {
  return `there is no project ${slug}: create it in the dashboard, or with --create`
}
