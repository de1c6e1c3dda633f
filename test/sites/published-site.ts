// Published sites on a new database with their own listener. Deploys are published without a build, so that only the
// serving is tested.
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import type { Database } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { locked } from '#kit/database/transactions.ts'
import { listen } from '#kit/http/listener/intake.ts'
import { createMetrics } from '#kit/metrics.ts'
import { publishedVersions, publishingTransaction } from '#publishing/database/publishing-state.ts'
import { prepare } from '#publishing/database/tables.ts'
import { contentHash } from '#publishing/deploys/files.ts'
import {
  changeProjectTransaction,
  createProjectTransaction,
} from '#publishing/projects/change-projects.ts'
import { createSites } from '#publishing/sites/site-handler.ts'
import { createTestDatabase, type Engine } from '../database.ts'
import { holdDeploy } from '../publishing/held-deploy.ts'
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

export const siteOrigin = (slug: string): string => `http://${slug}.docs.localhost:8080`

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
      origin: siteOrigin,
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
        publish(database, slug, files, kind),
      setLive: async (slug: string, live: number | null) =>
        switchTransaction(database, { id: await projectOf(database, slug), live }),
      rename: async (slug: string, to: string) => {
        const id = await projectOf(database, slug)
        await changeProjectTransaction(database, id, { slug: to }, 'docs.localhost', origin())
      },
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

const projectBySlug = prepare.select('slugs', ['project_id'], { slug: 'slug' })
const setLive = prepare.update('projects', { live_deploy: 'live' }, { id: 'id' })
const setEncodings = prepare.update(
  'files',
  { gzip: 'gzip', brotli: 'brotli', coded: 1n },
  { hash: 'hash' },
)

/** The program without an account. */
const origin = () => commandLineOrigin(Date.now())

async function projectOf(database: Database, slug: string): Promise<string> {
  const [known] = await database.read.all(projectBySlug, { slug })
  if (known?.project_id) return known.project_id
  const project = { name: slug, slug, ownerId: null, maxProjects: 0, origin: origin() }
  return (await createProjectTransaction(database, project)).id
}

async function publish(
  database: Database,
  slug: string,
  files: SiteFiles,
  kind: 'ready' | 'rendered',
): Promise<number> {
  const project = await projectOf(database, slug)
  const held = await holdDeploy(database, Date.now, project, files)
  for (const path of Object.keys(files)) await held.publish(path)
  await encodeTransaction(database, files)
  await held.finish(kind)
  return held.claim.number
}

/** Adds compressed versions of texts, if they are smaller, as a build does. */
const encodeTransaction = locked(async (session, files: SiteFiles) => {
  for (const [path, text] of Object.entries(files)) {
    if (!/\.(html|css|js|json|txt|xml|svg|md)$/.test(path)) continue
    const content = Buffer.from(text as string)
    const worth = (bytes: Buffer) => (bytes.length < content.length ? bytes : null)
    const [gzip, brotli] = [worth(gzipSync(content)), worth(brotliCompressSync(content))]
    await session.all(setEncodings, { hash: contentHash(content), gzip, brotli })
  }
})

const switchTransaction = publishingTransaction(
  async (session, { id, live }: { id: string; live: number | null }) =>
    void (await session.all(setLive, { id, live })),
)
