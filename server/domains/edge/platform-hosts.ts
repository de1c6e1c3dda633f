// Platform hosts (the base addresses, the dashboard, and each published site and preview below the platform host) get
// certificates like customers' domains: they are rows in `domains` that belong to no project, so no list shows them
// and no user can remove them. This file adds and removes these rows as needed.

import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import { readHostname } from '#doctor/hostname.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, ownHostsOf } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { jsonRows } from '#kit/database/json-rows.ts'
import { locked } from '#kit/database/transactions.ts'
import { type PollLoop, startPollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import {
  changePublished,
  publishingTransaction,
  withdrawHost,
} from '#publishing/database/publishing-state.ts'
import { prepare, prepareQuery } from '#publishing/database/tables.ts'
import { readPreviewLabel } from '#publishing/previews/records/preview-name.ts'
import { deleteDomainRows } from '../claims/remove-domain.ts'
import { insertDomain, platformHolder } from '../database/domain-row.ts'
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

const existing = prepare.select(
  'domains',
  ['id', 'host', 'turn_owner'],
  { holder: { value: platformHolder }, host: { '>': 'after' } },
  { orderBy: ['host'], limit: pageSize },
)
/** The owners of the projects that need these hosts, a former slug's included: its address redirects over HTTPS, too. */
const owners = prepareQuery<{ wanted: string }>()((db, param) => {
  const columns = { host: 'text', slug: 'text', preview: 'text' } as const
  return sql<{ host: string; owner_id: string | null }>`select wanted.host, projects.owner_id
    from ${jsonRows(db, param('wanted'), 'wanted', columns)}
    join slugs on slugs.slug = wanted.slug
    join projects on projects.id = slugs.project_id
    left join previews on previews.project_id = slugs.project_id and previews.name = wanted.preview
    where wanted.preview = '' or (slugs.is_current = 1 and previews.name is not null)`
})
interface Missing {
  label: string
  owner_id: string | null
  /** Where the next page begins. */
  project_id: string
  name: string
}
/** Of what is shown. A page begins after a project and, for previews, a name. */
const missingOf = (previews: boolean) =>
  prepareQuery<{ below: string; project: string; name: string; max: number }>()((_, param) => {
    const label = previews ? sql`previews.name || '--' || slugs.slug` : sql`slugs.slug`
    const name = previews ? sql`previews.name` : sql`cast('' as text)`
    return sql<Missing>`select ${label} as label, projects.owner_id, projects.id as project_id, ${name} as name
      from projects
      join slugs on slugs.project_id = projects.id and slugs.is_current = 1
      ${previews ? sql`join previews on previews.project_id = projects.id` : sql``}
      left join domains on domains.host = ${label} || cast(${param('below')} as text)
        and domains.holder = ${platform}
      where (projects.id, ${name}) > (${param('project')}, ${param('name')}) and domains.id is null
        and ${previews ? sql`previews.number` : sql`projects.live_deploy`} is not null
      order by project_id, name limit ${param('max')}`
  })
const missing = [missingOf(false), missingOf(true)]
const setTurnOwner = prepare.update('domains', { turn_owner: 'owner' }, { id: 'id' })
const claimsOn = prepare.select('domains', ['holder', 'ownership'], { host: 'host' })

/** Updates the rows now and after each wake(). */
export function maintainPlatformHosts(options: PlatformHostsOptions): PollLoop {
  const { clock, config, database, isCovered = () => false, log, onAdded } = options
  const { read } = database
  const below = `.${config.platformHost}`
  const fixed = ownHostsOf(config).filter((host) => canCertify(host, config))
  const hasSites = canCertify(`x${below}`, config)

  async function update(signal: AbortSignal): Promise<void> {
    const now = clock()
    const absent = new Set(fixed)
    for (let after = ''; ; ) {
      const page = await read.all(existing, { after })
      const last = page.at(-1)
      if (!last) break
      after = last.host
      // What is there is read before what is needed, so that nothing is removed that was added meanwhile.
      const rows = await read.all(owners, { wanted: JSON.stringify(page.flatMap(labelsOf)) })
      const byHost = new Map(rows.map(({ host, owner_id }) => [host, owner_id ?? platformHolder]))
      for (const { host, id, turn_owner } of page) {
        if (signal.aborted) return
        const owner = fixed.includes(host) ? platformHolder : byHost.get(host)
        absent.delete(host)
        if (owner === undefined) await removePlatformHost(database, { id, host, now })
        // The slug was taken by another owner before its host was removed.
        else if (owner !== turn_owner) await changeTurnOwner(database, { id, owner })
      }
    }
    await add(
      [...absent].map((host) => ({ host, turnOwner: platformHolder })),
      now,
    )
    for (const query of hasSites ? missing : []) {
      for (let start = { project: '', name: '' }; !signal.aborted; ) {
        const page = await read.all(query, { below, ...start, max: pageSize })
        const last = page.at(-1)
        if (!last) break
        start = { project: last.project_id, name: last.name }
        await add(
          page.map(({ label, owner_id }) => ({
            host: label + below,
            turnOwner: owner_id ?? platformHolder,
          })),
          now,
        )
      }
    }
  }

  /** The sites and previews that a host may be of. */
  function labelsOf({ host }: { host: string }) {
    if (!hasSites || !host.endsWith(below)) return []
    const label = host.slice(0, -below.length)
    const preview = readPreviewLabel(label)
    return [
      { host, slug: label, preview: '' },
      ...(preview ? [{ host, slug: preview.slug, preview: preview.name }] : []),
    ]
  }

  /** `turnOwner`: the account that owns its site. */
  async function add(hosts: { host: string; turnOwner: string }[], now: number): Promise<void> {
    const uncovered = hosts.filter(({ host }) => !isCovered(host))
    const added = uncovered.map(async ({ host, turnOwner }) => {
      const id = randomUUID()
      if (await addPlatformHost(database, { id, host, turnOwner, now })) return
      const message = 'a platform host is already a project’s proven domain'
      log.warn({ event: 'platform_host.taken', host }, message)
    })
    await Promise.all(added)
    if (uncovered.length > 0) onAdded()
  }

  return startPollLoop({
    name: 'updating platform hosts',
    log,
    intervalMs: Number.POSITIVE_INFINITY,
    pauseMs: (tookMs) => Math.max(minPauseMs, pausePerPass * tookMs),
    poll: update,
  })
}

const changeTurnOwner = locked(async (session, row: { id: string; owner: string }) => {
  await session.all(setTurnOwner, row)
})

/** False if the host is a project's. */
const addPlatformHost = locked(
  async (
    session,
    { host, id, now, turnOwner }: { host: string; id: string; now: number; turnOwner: string },
  ): Promise<boolean> => {
    const claims = await session.all(claimsOn, { host })
    if (claims.some(({ holder }) => holder === platformHolder)) return true
    if (claims.some(({ ownership }) => ownership === 'proven')) return false
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
    return true
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
