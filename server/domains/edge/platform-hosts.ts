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
import { previewLabel } from '#publishing/previews/records/preview-name.ts'
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

const existing = prepareQuery<{ after: string; max: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .select(['id', 'host', 'turn_owner'])
    .where('holder', '=', platform)
    .where('host', '>', param('after'))
    .orderBy('host')
    .limit(param('max')),
)
const sites = prepareQuery<{ after: string; max: number }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .select(['slugs.slug', 'slugs.is_current', 'projects.live_deploy', 'projects.owner_id'])
    .where('slugs.slug', '>', param('after'))
    .orderBy('slugs.slug')
    .limit(param('max')),
)
/** As many as the plans of these projects allow. */
const previewsOfSites = prepareQuery<{ after: string; to: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('previews', 'previews.project_id', 'slugs.project_id')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .select(['slugs.slug', 'previews.name', 'previews.number', 'projects.owner_id'])
    .where('slugs.is_current', '=', sql.lit(1n))
    .where('slugs.slug', '>', param('after'))
    .where('slugs.slug', '<=', param('to')),
)
const setTurnOwner = prepare.update('domains', { turn_owner: 'owner' }, { id: 'id' })
const ownRow = prepare.select('domains', ['id'], {
  host: 'host',
  holder: { value: platformHolder },
})
const provenClaim = prepare.select('domains', ['holder'], {
  host: 'host',
  ownership: { value: 'proven' },
})

/** Updates the rows now and after each wake(). */
export function maintainPlatformHosts(options: PlatformHostsOptions): PollLoop {
  const { clock, config, database, isCovered = () => false, log, onAdded } = options
  const { read } = database
  const below = `.${config.platformHost}`
  const fixed = ownHostsOf(config).filter((host) => canCertify(host, config))
  const hasSites = canCertify(`x${below}`, config)

  /** What is there is read before what is needed, so that nothing is removed that was added meanwhile. */
  async function update(signal: AbortSignal): Promise<void> {
    const now = clock()
    const there = new Map<string, { id: string; turn_owner: string }>()
    for (let page = await read.all(existing, { after: '', max: pageSize }); page.length > 0; ) {
      for (const row of page) there.set(row.host, row)
      page = await read.all(existing, { after: page.at(-1)?.host ?? '', max: pageSize })
    }
    for await (const hosts of needed()) {
      const missing = hosts.filter(
        ({ host, isShown }) => isShown && !there.has(host) && !isCovered(host),
      )
      await add(missing, now)
      for (const { host, turnOwner: owner } of hosts) {
        const row = there.get(host)
        there.delete(host)
        // The slug was taken by another owner before its host was removed.
        if (row && row.turn_owner !== owner) await changeTurnOwner(database, { id: row.id, owner })
      }
      if (signal.aborted) return
    }
    for (const [host, { id }] of there) {
      if (signal.aborted) return
      await removePlatformHost(database, { id, host, now })
    }
  }

  /** In parts. */
  async function* needed(): AsyncGenerator<NeededHost[]> {
    yield fixed.map((host) => ({ host, turnOwner: platformHolder, isShown: true }))
    for (let after = ''; hasSites; ) {
      const page = await read.all(sites, { after, max: pageSize })
      const to = page.at(-1)?.slug
      if (to === undefined) return
      yield page.map(({ is_current, live_deploy, owner_id, slug }) => ({
        host: slug + below,
        turnOwner: owner_id ?? platformHolder,
        // A former slug keeps its host, so that its address redirects over HTTPS, too.
        isShown: is_current === 1n && live_deploy !== null,
      }))
      const previews = await read.all(previewsOfSites, { after, to })
      yield previews.map(({ name, number, owner_id, slug }) => ({
        host: previewLabel(name, slug) + below,
        turnOwner: owner_id ?? platformHolder,
        isShown: number !== null,
      }))
      after = to
    }
  }

  async function add(hosts: NeededHost[], now: number): Promise<void> {
    const added = hosts.map(async ({ host, turnOwner }) => {
      const id = randomUUID()
      const outcome = await addPlatformHost(database, { id, host, turnOwner, now })
      if (outcome !== 'taken') return
      const message = 'a platform host is already a project’s proven domain'
      log.warn({ event: 'platform_host.taken', host }, message)
    })
    await Promise.all(added)
    if (hosts.length > 0) onAdded()
  }

  return startPollLoop({
    name: 'updating platform hosts',
    log,
    intervalMs: Number.POSITIVE_INFINITY,
    pauseMs: (tookMs) => Math.max(minPauseMs, pausePerPass * tookMs),
    poll: update,
  })
}

/** `turnOwner`: the account that owns its site. `isShown`: not only kept where it is there. */
interface NeededHost {
  host: string
  turnOwner: string
  isShown: boolean
}

const changeTurnOwner = locked(async (session, row: { id: string; owner: string }) => {
  await session.all(setTurnOwner, row)
})

const addPlatformHost = locked(
  async (
    session,
    { host, id, now, turnOwner }: { host: string; id: string; now: number; turnOwner: string },
  ) => {
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
