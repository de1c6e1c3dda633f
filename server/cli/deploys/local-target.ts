// A deploy straight into the database of this machine's program, with the server running or not: what is
// there to build is built by whoever is first, a running server or this command.
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import { startBuilder } from '../../publishing/deploys/builder.ts'
import { createDeploy, type SourceFile } from '../../publishing/deploys/create-deploy.ts'
import { findMissing, uploading } from '../../publishing/deploys/files.ts'
import { receiveArchive } from '../../publishing/deploys/receive-archive.ts'
import type { Deploy } from '../../publishing/deploys/records/schema.ts'
import { progressOf, waitForDeploy } from '../../publishing/deploys/wait-for-deploy.ts'
import { projectCreation } from '../../publishing/projects/change-projects.ts'
import { findDeploy, findProject } from '../../publishing/projects/find-project.ts'
import { planLimits } from '../../publishing/projects/plan-limits.ts'
import { planOf } from '../../publishing/projects/plan-of.ts'
import { siteOriginOf } from '../../publishing/projects/site-origin.ts'
import { CommandError } from '../command-line/command.ts'
import { type DeployTarget, noProject } from './deploy-target.ts'

/** `close` lets go of the building, which goes on elsewhere if it has to. */
export async function openLocalTarget(
  database: Database,
  config: Config,
  slug: string,
  creates: boolean,
): Promise<DeployTarget & { close(): Promise<void> }> {
  const { read } = database
  const found = await findProject(read, slug)
  if (!found && !creates) throw new CommandError(noProject(slug))
  const input = { name: slug, slug, ownerId: null, most: 0, now: systemClock() }
  const project = found ?? (await database.write(projectCreation, input))
  const projectId = project.id
  const limits = planLimits[await planOf(read, project)]
  const maxBytes = 2 * limits.bytes
  const builder = startBuilder(database, systemClock, createLog('silent', false))

  async function begin(
    source: Deploy['source'],
    its: { files: SourceFile[]; archive?: string },
  ): Promise<Deploy> {
    const deploy = { projectId, source, createdBy: null, ...its, limits, now: systemClock() }
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
      const upload = { projectId, files: [{ hash, bytes }], maxBytes, now: systemClock() }
      await database.write(uploading, upload)
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
    close: () => builder.stop(),
  }
}
