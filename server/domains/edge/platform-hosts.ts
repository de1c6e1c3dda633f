// Platform hosts (the base addresses, the dashboard, and each published site and preview below the platform host) get
// certificates like customers' domains: they are rows in `domains` that belong to no project, so no list shows them
// and no user can remove them. This file adds and removes these rows as needed.

import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import type { Clock } from '#kit/clock.ts'
import { type Config, ownHostsOf } from '#kit/config/config.ts'
import { type Database, findOne } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { type PollLoop, startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { changePublished, publishingTransaction } from '#publishing/database/publishing-state.ts'
import { prepare, prepareQuery } from '#publishing/database/tables.ts'
import { withdrawHost } from '#publishing/database/withdrawn-hosts.ts'
import { previewLabel, readPreviewLabel } from '#publishing/previews/records/preview-name.ts'
import { deleteDomainRows } from '../claims/remove-domain.ts'
import { insertDomain, platformHolder } from '../database/domain-row.ts'
import { readHostname } from '../host-names/hostname.ts'
import { stateWhenAdded } from '../state/domain-state.ts'

interface PlatformHostsOptions {
  database: Database
  clock: Clock
  config: Pick<
    Config,
    'acme' | 'baseUrl' | 'dashboardUrl' | 'httpsPort' | 'platformHost' | 'stagingBaseUrl'
  >
  log: Logger
  /** The operator has a certificate for it: none is issued, and an existing one is kept for when it expires. */
  isCovered?: (host: string) => boolean
  /** Called when hosts were added and certificates are due. */
  onAdded(): void
}

const pageSize = 500
/** The minimum pause between two passes, and as a multiple of a pass's duration. */
const minPauseMs = 2000
const pausePerPass = 5

const platform = sql.lit(platformHolder)
const yes = sql.lit(1n)

const sites = prepareQuery<{ after: string; below: string; max: number }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .leftJoin('domains', (join) =>
      join
        .on(
          'domains.host',
          '=',
          sql<string>`${sql.ref('slugs.slug')} || cast(${param('below')} as text)`,
        )
        .on('domains.holder', '=', platform),
    )
    .select(['slugs.slug', 'slugs.is_current', 'domains.id', 'domains.turn_owner'])
    .select(['projects.live_deploy', 'projects.owner_id'])
    .where('slugs.slug', '>', param('after'))
    .orderBy('slugs.slug')
    .limit(param('max')),
)
const existingHosts = prepareQuery<{ after: string; max: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select(['id', 'host'])
    .where('holder', '=', platform)
    .where('host', '>', param('after'))
    .orderBy('host')
    .limit(param('max')),
)
const previews = prepareQuery<{ project: string; name: string; max: number }>()((db, param) =>
  db
    .selectFrom('previews')
    .innerJoin('slugs', 'slugs.project_id', 'previews.project_id')
    .innerJoin('projects', 'projects.id', 'previews.project_id')
    .select(['previews.project_id', 'previews.name', 'slugs.slug', 'projects.owner_id'])
    .where('slugs.is_current', '=', yes)
    .where('previews.number', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('previews.project_id', '>', param('project')),
        eb.and([
          eb('previews.project_id', '=', param('project')),
          eb('previews.name', '>', param('name')),
        ]),
      ]),
    )
    .orderBy('previews.project_id')
    .orderBy('previews.name')
    .limit(param('max')),
)
const onePreview = prepareQuery<{ slug: string; name: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('previews', 'previews.project_id', 'slugs.project_id')
    .select('previews.name')
    .where((eb) => eb.and({ 'slugs.slug': param('slug'), 'slugs.is_current': yes }))
    .where('previews.name', '=', param('name')),
)
const setTurnOwner = prepare.update('domains', { turn_owner: 'owner' }, { id: 'id' })
const ownRow = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .select('id')
    .where((eb) => eb.and({ host: param('host'), holder: platform })),
)
/** A former one keeps its host, so that its address redirects over HTTPS, too. A held slug has no project. */
const slugOfProject = prepareQuery<{ slug: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .select('slug')
    .where('slug', '=', param('slug'))
    .where('project_id', 'is not', null),
)
const provenClaim = prepare.select('domains', ['holder'], {
  host: 'host',
  ownership: { value: 'proven' },
})

/** Updates the rows now and after each wake(). */
export function maintainPlatformHosts(options: PlatformHostsOptions): PollLoop {
  const { clock, config, database, isCovered = () => false, log, onAdded } = options
  const below = `.${config.platformHost}`
  const fixed = new Set(ownHostsOf(config).filter((host) => canCertify(host, config)))
  const hasSites = canCertify(`x${below}`, config)

  async function update(signal: AbortSignal): Promise<void> {
    const now = clock()
    for (const host of fixed) {
      if (!isCovered(host) && !(await findOne(database.read, ownRow, { host })))
        await add([{ host, turnOwner: platformHolder }], now)
    }
    if (hasSites) await addSites(now, signal)
    if (hasSites) await addPreviews(now, signal)
    await removeOthers(now, signal)
  }

  async function add(hosts: NewHost[], now: number): Promise<void> {
    const added = hosts.map(async (added) => {
      const outcome = await addPlatformHost(database, { id: randomUUID(), ...added, now })
      if (outcome !== 'taken') return
      const { host } = added
      const message = 'a platform host is already a project’s proven domain'
      log.warn({ event: 'platform_host.taken', host }, message)
    })
    await Promise.all(added)
    if (hosts.length > 0) onAdded()
  }

  async function addSites(now: number, signal: AbortSignal): Promise<void> {
    for (let after = ''; !signal.aborted; ) {
      const page = await database.read.all(sites, { after, below, max: pageSize })
      const missing = page.filter(
        ({ id, is_current, live_deploy }) =>
          id === null && is_current === 1n && live_deploy !== null,
      )
      const hosts = missing.map(({ owner_id, slug }) => {
        return { host: slug + below, turnOwner: owner_id ?? platformHolder }
      })
      await add(
        hosts.filter(({ host }) => !isCovered(host)),
        now,
      )
      // The slug was taken by another owner before its host was removed.
      for (const { id, owner_id, turn_owner } of page) {
        const owner = owner_id ?? platformHolder
        if (id !== null && turn_owner !== owner) await changeTurnOwner(database, { id, owner })
      }
      if (page.length < pageSize) return
      after = page.at(-1)?.slug ?? ''
    }
  }

  async function addPreviews(now: number, signal: AbortSignal): Promise<void> {
    for (let after = { project: '', name: '' }; !signal.aborted; ) {
      const page = await database.read.all(previews, { ...after, max: pageSize })
      const hosts: NewHost[] = []
      for (const { name, owner_id, slug } of page) {
        const host = previewLabel(name, slug) + below
        if (isCovered(host) || (await findOne(database.read, ownRow, { host }))) continue
        hosts.push({ host, turnOwner: owner_id ?? platformHolder })
      }
      await add(hosts, now)
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = { project: last.project_id, name: last.name }
    }
  }

  async function removeOthers(now: number, signal: AbortSignal): Promise<void> {
    for (let after = ''; !signal.aborted; ) {
      const page = await database.read.all(existingHosts, { after, max: pageSize })
      for (const { host, id } of page) {
        if (!(await isNeeded(host))) await removePlatformHost(database, { id, host, now })
      }
      if (page.length < pageSize) return
      after = page.at(-1)?.host ?? ''
    }
  }

  async function isNeeded(host: string): Promise<boolean> {
    if (fixed.has(host)) return true
    if (!hasSites || !host.endsWith(below)) return false
    const slug = host.slice(0, -below.length)
    if ((await findOne(database.read, slugOfProject, { slug })) !== undefined) return true
    const preview = readPreviewLabel(slug)
    return (
      preview !== undefined && (await findOne(database.read, onePreview, preview)) !== undefined
    )
  }

  return startPollLoop({
    name: 'updating platform hosts',
    log,
    intervalMs: Number.POSITIVE_INFINITY,
    pauseMs: (tookMs) => Math.max(minPauseMs, pausePerPass * tookMs),
    poll: update,
  })
}

/** `turnOwner`: the account that owns its site. */
interface NewHost {
  host: string
  turnOwner: string
}

const changeTurnOwner = locked(async (session, row: { id: string; owner: string }) => {
  await session.all(setTurnOwner, row)
})

const addPlatformHost = locked(
  async (session, { host, id, now, turnOwner }: NewHost & { id: string; now: number }) => {
    const claim = await findOne(session, provenClaim, { host })
    if (claim) return claim.holder === platformHolder ? 'there' : 'taken'
    if (await findOne(session, ownRow, { host })) return 'there'
    await changePublished(session)
    await insertDomain(session, {
      ...{ id, host, projectId: '', holder: platformHolder, turnOwner },
      ...{ verificationToken: '', addedAt: now },
      // The operator's own DNS is not checked.
      state: {
        ...stateWhenAdded(now),
        ...{ ownership: 'proven', provenAt: now, dns: 'ok', checkAt: null, serving: 'http_only' },
        ...{ certificate: 'preflight', certificateSince: now, issueAt: now },
      },
    })
    return 'added'
  },
)

const removePlatformHost = publishingTransaction(
  async (session, { host, id, now }: { host: string; id: string; now: number }) => {
    await deleteDomainRows(session, id, now)
    await withdrawHost(session, host, now)
  },
)

/** Public authorities certify public DNS names; the internal authority certifies any name. */
function canCertify(host: string, { acme, httpsPort }: Pick<Config, 'acme' | 'httpsPort'>) {
  if (httpsPort === undefined || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return false
  return (
    acme.directory === 'internal' ||
    readHostname(host, { hosts: [], platformHost: '' }).ok !== undefined
  )
}
