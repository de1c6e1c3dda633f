// Builds a deploy. A finished site is published unchanged. Markdown and OpenAPI sources are rendered in a process of
// their own (render-process.ts). All files are compressed once, with gzip and brotli.

import type { Clock } from '#kit/clock.ts'
import { type Database, each } from '#kit/database/database.ts'
import { isOneOfTexts } from '#kit/database/json-rows.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { themePath } from '#renderer/site-files/hashed-name.ts'
import {
  type BuildReport,
  DeployFailure,
  maxProblems,
  type SourceProblem,
} from '#renderer/site-files/site-file.ts'
import { isMarkdown } from '#renderer/sources/addresses.ts'
import type { RenderInput } from '#renderer/sources/render-input.ts'
import { maxDeployFileBytes } from '../../../client/values/limits.ts'
import { prepare, prepareQuery } from '../database/tables.ts'
import type { FileSource, ObjectReader } from '../objects/read-objects.ts'
import { findProjectById } from '../projects/find-project.ts'
import { maxRenderedGrowth, type PlanLimits, planLimits, planOf } from '../projects/plan-limits.ts'
import { findSiteImages, findSiteSettings, inFormOfFile } from '../site-settings/records/rows.ts'
import { candidatesFor, cleanUrl } from '../sites/clean-url.ts'
import { compress, factsOf } from '../sites/file-bytes.ts'
import {
  createRedirectTable,
  leadsInCircle,
  maxRedirectsBytes,
  type RedirectRule,
  readRedirects,
  redirectProblem,
  redirectsFile,
} from '../sites/redirects.ts'
import { batches } from './batches.ts'
import type { Claim } from './claims.ts'
import {
  contentHash,
  type PublishedFile,
  publishFilesTransaction,
  readContent,
  removeBuilt,
} from './files.ts'
import { finishDeployTransaction, saveReport } from './finish-deploy.ts'
import type { DeployKey } from './records/deploy-row.ts'
import { renderInProcess } from './render-process.ts'

type Source = NonNullable<(typeof sourcesOf)['row']>

const batchRows = 1000
const isSettings = (path: string): boolean => /^site\.ya?ml$/.test(path)
const isData = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)
const isApiDocument = (path: string): boolean =>
  /(?:^|\/)(?:openapi|swagger)\.(?:ya?ml|json)$/i.test(path)
/** What pages may include, and the configuration of a generator: by its name, or without an extension. */
const isText =
  /(?:^|\/)[^./]*$|\.(?:[cm]?[jt]sx?|adoc|asm|awk|bash|c|cc|cfg|clj|conf|cpp|cs|css|csv|dart|diff|ex|exs|go|gradle|graphql|h|hpp|hs|html?|ini|java|jl|kt|less|lua|m|mm|php|pl|properties|proto|ps1|py|r|rb|rs|rst|sass|scala|scss|sh|sql|svelte|swift|tex|tf|toml|txt|vue|xml|zig)$/i
const megabyte = 1024 * 1024
/** Of one file and of all, besides pages and API documents. Others are published, but not read. */
const maxRead = {
  data: { each: maxDeployFileBytes, all: 100 * megabyte },
  text: { each: megabyte / 4, all: 32 * megabyte },
}

const sourcesOf = prepareQuery<DeployKey>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .innerJoin('files', 'files.hash', 'deploy_sources.hash')
    .select(['deploy_sources.path as path', 'files.hash as hash', 'files.size as size'])
    .where('deploy_sources.project_id', '=', param('project'))
    .where('deploy_sources.number', '=', param('number'))
    .orderBy('deploy_sources.path'),
)

/**
 * Returns where it is shown. Throws DeployFailure for an error in the sources, LeaseLostError when another process has
 * the lease or the deploy was removed, the reason of `signal` soon after it was aborted, and any internal error unchanged.
 */
export async function buildDeploy(
  database: Database,
  objects: ObjectReader,
  clock: Clock,
  claim: Claim,
  signal: AbortSignal,
): Promise<'live' | 'preview'> {
  // An earlier attempt may have left files.
  await removeBuilt(database, claim, clock())
  const source = { read: database.read, objects }
  const project = await findProjectById(database.read, claim.project)
  if (!project) throw new LeaseLostError()
  const sources = await database.read.all(sourcesOf, claim)
  const kind = kindOf(sources)
  const chosen = await findSiteSettings(database.read, claim.project)
  // What a rendered site publishes of them, and where, the renderer says.
  const publishable = kind === 'ready' ? sources : []
  const published = publishable.map(({ hash, path, size }) => ({ hash, path, size: Number(size) }))
  for (let start = 0; start < published.length; start += batchRows) {
    signal.throwIfAborted()
    const files = published.slice(start, start + batchRows)
    await publishFilesTransaction(database, { claim, files })
  }
  const limits = planLimits[await planOf(database.read, project)]
  const report =
    kind === 'rendered'
      ? await render(
          database,
          source,
          claim,
          {
            title: project.name,
            chosen: inFormOfFile(chosen),
            redirects: chosen.redirects,
            images: await publishImages(database, source, claim),
          },
          sources,
          limits,
          signal,
        )
      : undefined
  const redirects =
    (await factsOf(source.read, keyOf(claim), [redirectsFile])).get(redirectsFile)?.hash ??
    (await publishRedirects(database, claim, chosen.redirects))
  const problems = redirects ? await checkRedirects(source, claim, redirects) : undefined
  if (report ?? problems) await saveReport(database, claim, joinReports(report, problems))
  await compressFiles(database, source, claim, signal)
  return await finishDeployTransaction(database, { claim, kind, now: clock() })
}

/** Those of the project settings, as if a deploy without any had them. Returns the hash of the file, if there is one. */
async function publishRedirects(
  database: Database,
  claim: Claim,
  text: string,
): Promise<string | undefined> {
  if (text.trim() === '') return undefined
  const bytes = Buffer.from(text)
  const file = { path: redirectsFile, bytes, hash: contentHash(bytes), size: bytes.length }
  await publishFilesTransaction(database, { claim, files: [file] })
  return file.hash
}

/** Returns the paths of the uploaded images. */
async function publishImages(
  database: Database,
  source: FileSource,
  claim: Claim,
): Promise<RenderInput['images']> {
  const paths: RenderInput['images'] = {}
  const images = await findSiteImages(source.read, claim.project)
  for (const name of ['logo', 'favicon'] as const) {
    const image = images[name]
    const bytes = image && (await readContent(source, image.hash))
    // None, or it was replaced since: another build follows.
    if (!bytes) continue
    const { hash, size, type } = image
    const path = themePath(name, type, hash)
    // With its bytes, because it may be replaced before they are published.
    const files = [{ path, hash, size, bytes }]
    await publishFilesTransaction(database, { claim, files })
    paths[name] = path
  }
  return paths
}

/** The problems of the redirects first: they concern the whole site. */
function joinReports(report: BuildReport | undefined, problems: SourceProblem[] = []): BuildReport {
  const items = [...problems, ...(report?.items ?? [])].slice(0, maxProblems)
  return { ...report, total: problems.length + (report?.total ?? 0), items }
}

function kindOf(sources: Source[]): 'ready' | 'rendered' {
  if (sources.some(({ path }) => path === 'index.html')) return 'ready'
  if (sources.some(({ path }) => isMarkdown(path) || isApiDocument(path))) return 'rendered'
  throw new DeployFailure(
    'Nothing to publish: the folder has no index.html at its root, no Markdown files and no openapi.yaml. Deploy the output folder of your site generator.',
  )
}

function isPublished({ path }: Source): boolean {
  return !isMarkdown(path) && !isSettings(path)
}

async function render(
  database: Database,
  source: FileSource,
  claim: Claim,
  given: Pick<RenderInput, 'title' | 'chosen' | 'redirects' | 'images'>,
  found: Source[],
  limits: PlanLimits,
  signal: AbortSignal,
): Promise<BuildReport> {
  const sources = new Map<string, Uint8Array>()
  const left = { data: maxRead.data.all, text: maxRead.text.all }
  for (const { hash, path, size } of found) {
    const kind = isData(path) ? 'data' : isText.test(path) ? 'text' : undefined
    const isPage = isMarkdown(path) || isApiDocument(path)
    if (!isPage && !(kind && size <= maxRead[kind].each && size <= left[kind])) continue
    if (kind) left[kind] -= Number(size)
    signal.throwIfAborted()
    const content = await readContent(source, hash)
    if (content) sources.set(path, content)
  }
  const assets = new Map(found.filter(isPublished).map((file) => [file.path, file]))
  let files = 0
  let bytes = 0
  const input = { ...given, sources, assets: new Set(assets.keys()) }
  let report: BuildReport = { total: 0, items: [] }
  const setReport = (found: BuildReport): void => {
    report = found
  }
  for await (const batch of renderInProcess(input, setReport, signal)) {
    const rendered: PublishedFile[] = []
    for (const { copyOf, ...file } of batch) {
      const copied = copyOf === undefined ? undefined : assets.get(copyOf)
      if (copied) {
        rendered.push({ path: file.path, hash: copied.hash, size: Number(copied.size) })
        continue
      }
      files++
      bytes += file.bytes.length
      rendered.push({ ...file, hash: contentHash(file.bytes), size: file.bytes.length })
    }
    if (
      files > limits.files * maxRenderedGrowth.files ||
      bytes > limits.bytes * maxRenderedGrowth.bytes
    ) {
      throw new DeployFailure(
        'The rendered site is larger than the plan allows. Make the site smaller.',
      )
    }
    await publishFilesTransaction(database, { claim, files: rendered })
  }
  return report
}

/** Formats that compress well. Other formats are already compressed, or too rare to matter. */
const compressible =
  /\.(?:html?|css|m?js|cjs|json|map|webmanifest|svg|xml|txt|md|markdown|ya?ml|csv|tsv|atom|rss|ics|wasm|ttf|otf|eot|ico|bmp|geojson|vtt|srt)$/i
const minCompressibleBytes = 512
/** A compressed form is kept only if it is smaller than this share of the original. */
const maxCompressedShare = 0.9
const compressionBatch = { maxBytes: 2 * 1024 * 1024, maxFiles: 100 }
const pageFiles = 1000

const page = prepareQuery<DeployKey & { after: string; max: number }>()((db, param) =>
  db
    .selectFrom('deploy_files')
    .innerJoin('files', 'files.hash', 'deploy_files.hash')
    .select(['deploy_files.path', 'files.hash', 'files.size', 'files.coded'])
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
    .where('path', '>', param('after'))
    .orderBy('path')
    .limit(param('max')),
)
interface CompressedFile {
  hash: string
  gzip: Uint8Array | null
  brotli: Uint8Array | null
}

// Another build may have compressed it, and its bytes may have been moved.
const setEncodings = prepare.update(
  'files',
  { gzip: 'gzip', brotli: 'brotli', coded: 1n },
  { hash: 'hash', coded: 0n },
)

const setUncompressed = prepareQuery<{ hashes: string }>()((db, param) =>
  db
    .updateTable('files')
    .set({ coded: 1n })
    .where(isOneOfTexts(db, 'hash', param('hashes'))),
)

const saveEncodingsTransaction = each(async (session, coded: CompressedFile[]) => {
  const isCompressed = ({ brotli, gzip }: CompressedFile) => brotli !== null || gzip !== null
  for (const file of coded.filter(isCompressed)) await session.all(setEncodings, file)
  const others = coded.filter((file) => !isCompressed(file)).map(({ hash }) => hash)
  await session.all(setUncompressed, { hashes: JSON.stringify(others) })
})

/** Compresses the files of a deploy that have not been compressed yet. Throws the reason of `signal`. */
async function compressFiles(
  database: Database,
  source: FileSource,
  deploy: DeployKey,
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await database.read.all(page, { ...deploy, after, max: pageFiles })
    const last = rows.at(-1)
    if (!last) return
    after = last.path
    const byHash = new Map(rows.map((row) => [row.hash, row]))
    const pending = [...byHash.values()].filter(({ coded }) => coded === 0n)
    for await (const batch of batches(pending, compressionBatch, (file) => Number(file.size))) {
      signal.throwIfAborted()
      const coded = await Promise.all(batch.map((file) => compressFile(source, file)))
      await database.write(saveEncodingsTransaction, coded)
    }
  }
}

async function compressFile(
  source: FileSource,
  { hash, path, size }: NonNullable<(typeof page)['row']>,
): Promise<CompressedFile> {
  const none = { hash, gzip: null, brotli: null }
  if (!compressible.test(path) || size < minCompressibleBytes) return none
  const content = await readContent(source, hash)
  if (!content) return none
  const quality = content.length > 256 * 1024 ? 6 : 9
  return { hash, ...(await compress(content, quality, maxCompressedShare)) }
}

/**
 * The problems of the redirects of a deploy (`_redirects`), after its files were published: rules that cannot be followed,
 * and those that lead back to where they start.
 */
async function checkRedirects(
  source: FileSource,
  { number, project }: DeployKey,
  hash: string,
): Promise<SourceProblem[]> {
  const content = await readContent(source, hash)
  const { problems, rules } = readRedirects(content ?? new Uint8Array())
  if (!content || content.length > maxRedirectsBytes) return problems
  const table = createRedirectTable(rules)
  const lines = new TextDecoder().decode(content).split(/\r\n|\n|\r/)
  const deploy = keyOf({ number, project })
  const isThere = async (path: string): Promise<boolean> => {
    const files = await factsOf(source.read, deploy, candidatesFor(path))
    return cleanUrl(path, (file) => files.has(file)) !== undefined
  }
  for (const rule of rules) {
    const match = table.find(sampleOf(rule))
    if (match?.rule !== rule || !(await leadsInCircle(table, match, isThere))) continue
    const message =
      'The rule leads back to where it starts, and is not applied. Correct its target.'
    problems.push(redirectProblem(message, rule.line, lines[rule.line - 1] ?? null))
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

const keyOf = ({ number, project }: DeployKey) => ({ projectId: project, number: BigInt(number) })

/** A path that the rule matches, unless an earlier rule does. */
function sampleOf({ from }: RedirectRule): string {
  return from.map((segment) => (segment === '*' ? 'sample' : segment.replace(/^:/, ''))).join('/')
}
