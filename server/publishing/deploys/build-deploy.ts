// Builds one deploy that has been claimed: finds out what it is, makes its published files, compresses
// them, and makes it live. Nothing that visitors see changes before the last step.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { LeaseLostError } from '../../platform/jobs/lease.ts'
import type { Plan } from '../../platform/management/caller.ts'
import { prepareQuery } from '../database/tables.ts'
import { findProjectById } from '../projects/find-project.ts'
import { planLimits, renderedGrowth } from '../projects/plan-limits.ts'
import { planOf } from '../projects/plan-of.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import type { Claim } from './claims.ts'
import { codeFiles } from './code-files.ts'
import { contentHash, readContent } from './files.ts'
import { success } from './finish-deploy.ts'
import { renderInThread } from './render-in-thread.ts'
import { type PublishedFile, publication, removeBuilt } from './site-files.ts'

interface Source {
  path: string
  hash: string
  size: number
}

const batchRows = 1000
const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path)
const isSettings = (path: string): boolean => /^site\.ya?ml$/.test(path)
const isData = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)
const isApiDocument = (path: string): boolean => /(?:^|\/)openapi\.(?:ya?ml|json)$/i.test(path)
/** A YAML or JSON file that is larger is published, but nothing is rendered from it. */
const maxDataBytes = 8 * 1024 * 1024

const sourcesOf = prepareQuery<{ project: string; number: number }>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .innerJoin('files', 'files.hash', 'deploy_sources.hash')
    .select(['deploy_sources.path as path', 'files.hash as hash', 'files.size as size'])
    .where('deploy_sources.project_id', '=', param('project'))
    .where('deploy_sources.number', '=', param('number'))
    .orderBy('deploy_sources.path'),
)

/**
 * Throws DeployFailure for its owner, LeaseLostError when it is ours no more, the reason of `signal` soon after
 * that was aborted, and whatever else goes wrong.
 */
export async function buildDeploy(
  database: Database,
  clock: Clock,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const { number, projectId } = claim
  // An attempt before this one may have left some.
  await removeBuilt(database, claim)
  const project = await findProjectById(database.read, projectId)
  if (!project) throw new LeaseLostError()
  const rows = await database.read.all(sourcesOf, { project: projectId, number })
  const sources = rows.map(({ hash, path, size }) => ({ hash, path, size: Number(size) }))
  const kind = kindOf(sources)
  const kept = kind === 'ready' ? sources : sources.filter(isPublished)
  for (let start = 0; start < kept.length; start += batchRows) {
    signal.throwIfAborted()
    await database.write(publication, { claim, files: kept.slice(start, start + batchRows) })
  }
  if (kind === 'rendered') {
    const plan = await planOf(database.read, project)
    await render(database, claim, project.name, sources, plan, signal)
  }
  await codeFiles(database, projectId, number, signal)
  await database.write(success, { claim, kind, now: clock() })
}

function kindOf(sources: Source[]): 'ready' | 'rendered' {
  if (sources.some(({ path }) => path === 'index.html')) return 'ready'
  if (sources.some(({ path }) => isMarkdown(path) || isApiDocument(path))) return 'rendered'
  throw new DeployFailure(
    'There is nothing to show: neither an index.html at the root of the folder, nor Markdown files, nor an openapi.yaml. Deploy the folder that your site generator writes.',
  )
}

function isPublished({ path }: Source): boolean {
  return !isMarkdown(path) && !isSettings(path)
}

async function render(
  database: Database,
  claim: Claim,
  title: string,
  found: Source[],
  plan: Plan,
  signal: AbortSignal,
): Promise<void> {
  const sources = new Map<string, Uint8Array>()
  for (const { hash, path, size } of found) {
    if (!isMarkdown(path) && !(isData(path) && size <= maxDataBytes)) continue
    signal.throwIfAborted()
    const content = await readContent(database.read, hash)
    if (content) sources.set(path, content)
  }
  const assets = new Map(found.filter(isPublished).map(({ hash, path }) => [path, hash]))
  const limits = planLimits[plan]
  let files = 0
  let bytes = 0
  const input = { title, sources, assets: new Set(assets.keys()) }
  for await (const batch of renderInThread(input, signal)) {
    const rendered: PublishedFile[] = []
    for (const file of batch) {
      const made = { ...file, hash: contentHash(file.bytes), size: file.bytes.length }
      // The renderer may give a source back as it is, such as the API's document.
      if (assets.get(file.path) === made.hash) continue
      if (assets.has(file.path)) {
        const message = 'A page is rendered to the address of this file. Rename one of the two.'
        throw new DeployFailure(message, { file: file.path })
      }
      bytes += made.size
      rendered.push(made)
    }
    files += rendered.length
    if (
      files > limits.files * renderedGrowth.files ||
      bytes > limits.bytes * renderedGrowth.bytes
    ) {
      throw new DeployFailure('What is rendered is larger than the plan allows. Make it smaller.')
    }
    await database.write(publication, { claim, files: rendered })
  }
}
