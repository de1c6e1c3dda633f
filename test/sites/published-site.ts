// Published sites on a new database with their own listener. Deploys are inserted directly into the tables, so that only
// the serving is tested.
import { hash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { type Database, each, type Session } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { listen } from '#kit/http/listener/intake.ts'
import { createMetrics } from '#kit/metrics.ts'
import { changePublished, publishedVersions } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepare, prepareQuery } from '#publishing/database/tables.ts'
import { createSites } from '#publishing/sites/site-handler.ts'
import { createTestDatabase, type Engine } from '../database.ts'
import { askRaw, requestText } from '../raw-connection.ts'

export interface AskOptions {
  /** Default: `docs`. */
  slug?: string
  method?: string
  headers?: Record<string, string>
}

export type SiteFiles = Record<string, string | Uint8Array>

export type PublishedSites = Awaited<ReturnType<typeof servePublishedSites>>

export interface ServeOptions {
  logLevel?: string
  maxBytes?: number
  /** Wraps the database. */
  between?: (database: Database) => Database
}

export const origin = (slug: string): string => `http://${slug}.docs.localhost:8080`

/** Those of a describe block. */
export let sites: PublishedSites

/** Starts them before the tests of the block, and stops them after them. */
export function servingSites(
  engine: Engine,
  prepare: () => Promise<unknown>,
  options: ServeOptions = {},
): void {
  beforeAll(async () => {
    sites = await servePublishedSites(engine, options)
    await prepare()
  })
  afterAll(() => sites.release())
}

/** Starts without projects. */
export async function servePublishedSites(engine: Engine, options: ServeOptions = {}) {
  const place = await createTestDatabase(engine)
  const others: Awaited<ReturnType<typeof serve>>[] = []

  async function serve() {
    const database = openDatabase(place, 'publishing', { onError: () => {} })
    const metrics = createMetrics()
    const listener = await listen(0, '127.0.0.1', metrics)
    const lines: Record<string, unknown>[] = []
    const log = pino(
      { level: options.logLevel ?? 'info', base: null },
      { write: (line) => void lines.push(JSON.parse(line)) },
    )
    const seen = options.between?.(database) ?? database
    const sites = createSites({
      database: seen,
      versions: publishedVersions(seen),
      origin,
      metrics,
      log,
      ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
    })
    listener.serve((host) => {
      const [, slug] = /^([^.]*)\.docs\.localhost$/.exec(host) ?? []
      return slug === undefined ? undefined : sites.handlerFor(slug)
    })
    const { port } = listener
    return {
      port,
      database,
      metrics,
      /** The parsed log lines. */
      lines,
      /** Handles requests for the site `docs`, on another listener. */
      handler: sites.handlerFor('docs'),
      ask: (target: string, { headers, method = 'GET', slug = 'docs' }: AskOptions = {}) =>
        askRaw(
          port,
          requestText(method, target, {
            Host: `${slug}.docs.localhost:8080`,
            Connection: 'close',
            ...headers,
          }),
          method === 'HEAD',
        ),
      /** Deploys files, makes them live and returns the number of the deploy. Creates the project if needed. */
      publish: (slug: string, files: SiteFiles, kind: 'ready' | 'rendered' = 'ready') =>
        database.write(publishTransaction, { slug, kind, files: Object.entries(files) }),
      setLive: (slug: string, number: number | null) =>
        database.write(switchTransaction, { slug, number }),
      rename: (slug: string, to: string) => database.write(renameTransaction, { slug, to }),
      async release() {
        await listener.stop()
        await database.close()
      },
    }
  }

  const first = await serve()
  return {
    ...first,
    /** Like another process: a separate database handle and listener on the same database. */
    async another() {
      const other = await serve()
      others.push(other)
      return other
    },
    async release() {
      await first.release()
      for (const other of others) await other.release()
      await place.release()
    },
  }
}

const rows = rowInserter<PublishingTables>()
const insertAccounts = rows('accounts')
const insertProjects = rows('projects')
const insertSlugs = rows('slugs')
const insertDeploys = rows('deploys')
const insertFiles = rows('files')
const insertDeployFiles = rows('deploy_files')

const accountOf = prepare.select('accounts', ['id'], { id: 'id' })
const projectBySlug = prepareQuery<{ slug: string }>()((db, param) =>
  db
    .selectFrom('projects')
    .innerJoin('slugs', 'slugs.project_id', 'projects.id')
    .select(['projects.id', 'last_deploy'])
    .where('slug', '=', param('slug')),
)
const hashOf = prepare.select('files', ['hash'], { hash: 'hash' })
const setDeploy = prepare.update(
  'projects',
  { last_deploy: 'last', live_deploy: 'live' },
  { id: 'id' },
)
const retireQuery = prepare.update('slugs', { is_current: 0n }, { slug: 'slug' })

type Publication = { slug: string; kind: string; files: [string, string | Uint8Array][] }

const publishTransaction = each(async (session, { files, kind, slug }: Publication) => {
  await changePublished(session)
  const { id, last_deploy } = await projectOf(session, slug)
  const number = last_deploy + 1n
  await insertDeploys(session, [
    {
      ...{ project_id: id, number, state: 'live', kind, source: 'folder', created_at: 1n },
      ...{ source_files: 0n, source_bytes: 0n, site_files: 0n, site_bytes: 0n, attempts: 1n },
    },
  ])
  for (const [path, content] of files) {
    const hashed = await fileOf(session, Buffer.from(content as string), path)
    await insertDeployFiles(session, [{ project_id: id, number, path, hash: hashed }])
  }
  await session.all(setDeploy, { id, last: number, live: number })
  return Number(number)
})

const switchTransaction = each(async (session, change: { slug: string; number: number | null }) => {
  await changePublished(session)
  const { id, last_deploy: last } = await projectOf(session, change.slug)
  const live = change.number === null ? null : BigInt(change.number)
  await session.all(setDeploy, { id, last, live })
})

const renameTransaction = each(async (session, { slug, to }: { slug: string; to: string }) => {
  await changePublished(session)
  const { id } = await projectOf(session, slug)
  await session.all(retireQuery, { slug })
  await insertSlugs(session, [{ slug: to, project_id: id, owner_id: 'ann', is_current: 1n }])
})

async function projectOf(session: Session, slug: string) {
  const [known] = await session.all(projectBySlug, { slug })
  if (known) return known
  if ((await session.all(accountOf, { id: 'ann' })).length === 0) {
    await insertAccounts(session, [
      {
        ...{ id: 'ann', email: 'ann@example.com', email_key: 'ann@example.com', name: 'Ann' },
        ...{ password_hash: '-', role: 'member', plan: 'free', created_at: 1n },
      },
    ])
  }
  const project = { id: `project-${slug}`, last_deploy: 0n }
  await insertProjects(session, [
    { ...project, owner_id: 'ann', name: slug, live_deploy: null, created_at: 1n },
  ])
  await insertSlugs(session, [{ slug, project_id: project.id, owner_id: 'ann', is_current: 1n }])
  return project
}

/** The row of a file as a deploy stores it, with compressed versions if they are smaller. */
async function fileOf(session: Session, content: Buffer, path: string): Promise<string> {
  const hashed = hash('sha256', content, 'hex')
  if ((await session.all(hashOf, { hash: hashed })).length > 0) return hashed
  const isText = /\.(html|css|js|json|txt|xml|svg|md)$/.test(path)
  const coded = isText ? { gzip: gzipSync(content), brotli: brotliCompressSync(content) } : {}
  const worth = (bytes?: Buffer): Buffer | null =>
    bytes && bytes.length < content.length ? bytes : null
  await insertFiles(session, [
    {
      hash: hashed,
      size: BigInt(content.length),
      content,
      gzip: worth(coded.gzip),
      brotli: worth(coded.brotli),
      coded: 1n,
    },
  ])
  return hashed
}
