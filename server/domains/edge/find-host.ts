// Finds what a host serves and to whom: a project's domain, a project's host below the platform host, or a preview.
// Results are cached until the version of published content changes, so that a removed host or a new certificate takes
// effect with the next request on every node. The cost does not depend on the number of hosts, and each query is one
// statement.

import { type Kysely, sql } from 'kysely'
import type { Clock } from '#kit/clock.ts'
import { type Awaitable, type Database, withValue } from '#kit/database/database.ts'
import type { Param } from '#kit/database/query.ts'
import { createExpiringMap } from '#kit/expiring-map.ts'
import { maxHostLength } from '#kit/http/request/request-head.ts'
import type { HostCertificate, HostDirectory } from '#kit/http/tls/secure-contexts.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'
import { readPreviewLabel } from '#publishing/previews/records/preview-name.ts'
import { toVisibility } from '#publishing/projects/project-roles.ts'
import type { Certificates } from '../certificates/open-certificates.ts'
import { type RedirectStatus, redirectStatuses } from '../database/domain-row.ts'

export interface FoundHost {
  host: string
  /** The project's slug; undefined for platform hosts. */
  slug?: string | undefined
  serving: 'off' | 'http_only' | 'https' | 'suspended'
  /** Undefined when there is none or it has expired. */
  certificate: ({ id: string; isTrusted: boolean } & Partial<HostCertificate>) | undefined
  /** Who may see what is shown here; undefined for everyone, and for what redirects to another host. */
  restriction?: Restriction | undefined
  /** The deploy that is shown here instead of the project's site. */
  preview?: FoundPreview
  /** The host redirects to another host of its project. */
  redirect?: { to: string; isSecure: boolean; status: RedirectStatus } | undefined
  /** The slug belonged to another project until recently, whose site browsers may remember. */
  isReused: boolean
  /** The project's primary domain, once it is served over HTTPS. */
  primary?: string | undefined
}

export interface FoundPreview {
  /** Of its host below the platform host. */
  label: string
  projectId: string
  /** Null until a deploy is built. */
  number: bigint | null
  isRendered: boolean
}

export interface PasswordRestriction {
  kind: 'password'
  of: 'site' | 'preview'
  /** Of the project, or of the preview. */
  key: string
  passwordHash: string
}

export type Restriction = PasswordRestriction | { kind: 'members'; projectId: string }

export type HostFinder = ReturnType<typeof createHostFinder>

interface HostFinderOptions {
  database: Database
  clock: Clock
  /** The version of published content (shared-reads.ts). */
  versions: () => Awaitable<bigint>
  platformHost: string
  /** The program's own hosts, except those below the platform host. */
  ownHosts?: readonly string[]
  /** The operator's certificate for a platform host, used instead of an issued one. */
  operatorCertificate?: ((host: string) => HostCertificate | undefined) | undefined
  /** Known hosts that are cached. */
  maxCached?: number
  /** Unknown names are unlimited: they evict each other, not known hosts. Each takes at most 500 bytes. */
  maxMissing?: number
}

interface Lookup {
  /** The result is valid until then: a certificate expires. */
  until: number
  found: FoundHost | undefined
}

interface CachedHost extends Pick<Lookup, 'found'> {
  version: bigint
  /** The id of the operator's certificate, where it is used. */
  operators: string | undefined
}

export function createHostFinder(options: HostFinderOptions) {
  const {
    clock,
    database,
    maxCached = 20_000,
    maxMissing = 8000,
    operatorCertificate,
    platformHost,
    versions,
  } = options
  const below = `.${platformHost}`
  const ownHosts = new Set(options.ownHosts)
  const there = createExpiringMap<CachedHost>(clock, maxCached)
  const missing = createExpiringMap<CachedHost>(clock, maxMissing)

  function at(host: string, version: bigint): Awaitable<FoundHost | undefined> {
    const cached = there.find(host) ?? missing.find(host)
    const operators = operatorsFor(host)
    if (cached?.version === version && cached.operators === operators?.id) return cached.found
    const lookup = host.endsWith(below)
      ? askBySlug(host, host.slice(0, -below.length))
      : askByHost(host)
    return withValue(lookup, (response) => keep(host, version, operators, response))
  }

  function operatorsFor(host: string): HostCertificate | undefined {
    if (!operatorCertificate) return undefined
    const isOwn = host.endsWith(below) || ownHosts.has(host)
    return isOwn ? operatorCertificate(host) : undefined
  }

  function keep(
    host: string,
    version: bigint,
    operators: HostCertificate | undefined,
    lookup: Lookup,
  ): FoundHost | undefined {
    const { found, until } =
      operators === undefined ? lookup : withOperators(host, operators, lookup)
    there.delete(host)
    missing.delete(host)
    const cached = { version, operators: operators?.id, found }
    const cache = found ? there : missing
    cache.keep(host, cached, until - clock())
    return found
  }

  function withOperators(
    host: string,
    { id, load }: HostCertificate,
    { found, until }: Lookup,
  ): Lookup {
    // A host below the platform host exists only with its project.
    if (!found && !ownHosts.has(host)) return { found, until }
    const certificate = { id, load, isTrusted: true }
    return { until, found: { host, isReused: false, ...found, serving: 'https', certificate } }
  }

  function askByHost(host: string): Awaitable<Lookup> {
    return withValue(database.read.all(byHost, { host }), ([row]) =>
      row ? toHost(host, { ...row, ...current }, row.slug ?? undefined, redirectOf(row)) : nowhere,
    )
  }

  function askBySlug(host: string, slug: string): Awaitable<Lookup> {
    if (!/^[a-z0-9-]{1,63}$/.test(slug)) return nowhere
    return withValue(database.read.all(bySlug, { host, slug }), ([row]) =>
      row ? toHost(host, row, slug) : askByPreview(host, slug),
    )
  }

  /** `label` is no project's slug. */
  function askByPreview(host: string, label: string): Awaitable<Lookup> {
    const read = readPreviewLabel(label)
    if (!read) return nowhere
    return withValue(database.read.all(byPreview, { host, ...read }), ([row]) => {
      const endsAt = Number(row?.ends_at ?? 0n)
      if (!row || endsAt <= clock()) return nowhere
      const none = { ...current, lead: null, lead_serving: null, lead_until: null }
      const { found, until } = toHost(host, { ...row, ...none })
      const { kind, number, password_hash: passwordHash, project_id: projectId } = row
      const preview = { label, projectId, number, isRendered: kind !== 'ready' }
      // Its own password is asked for instead of what the site asks for.
      const key = `${projectId} ${label}`
      const restriction =
        passwordHash === null
          ? found.restriction
          : ({ kind: 'password', of: 'preview', key, passwordHash } as const)
      return { until: Math.min(until, endsAt), found: { ...found, preview, restriction } }
    })
  }

  function toHost(
    host: string,
    row: Omit<NonNullable<(typeof bySlug)['row']>, 'slug'>,
    slug?: string,
    redirect?: ReturnType<typeof redirectOf>,
  ): { until: number; found: FoundHost } {
    const { cleared_until, directory, expires_at, id, lead, lead_serving, lead_until } = row
    const serving = (row.serving ?? 'http_only') as FoundHost['serving']
    const now = clock()
    const hasCertificate = id !== null && isLater(expires_at, now)
    const isLed = lead !== null && lead_serving === 'https' && isLater(lead_until, now)
    const untils = [expires_at, lead_until, cleared_until]
      .filter((end) => isLater(end, now))
      .map(Number)
    return {
      until: Math.min(...untils, redirect?.until ?? Infinity),
      found: {
        host,
        slug,
        serving: serving === 'https' && !hasCertificate ? 'http_only' : serving,
        certificate: hasCertificate ? { id, isTrusted: directory !== 'internal' } : undefined,
        redirect,
        restriction: redirect || row.is_current !== 1n ? undefined : restrictionOf(row),
        isReused: isLater(cleared_until, now),
        primary: isLed ? lead : undefined,
      },
    }
  }

  function redirectOf(row: NonNullable<(typeof byHost)['row']>) {
    const { redirect_status, role, target, target_serving, target_until } = row
    const status = redirectStatuses.find((each) => each === Number(redirect_status))
    if (role !== 'redirect' || target === null || status === undefined) return undefined
    // If the target is not served, the site is served here instead.
    if (target_serving !== 'https' && target_serving !== 'http_only') return undefined
    const isSecure = target_serving === 'https' && isLater(target_until, clock())
    return { to: target, isSecure, status, until: isSecure ? Number(target_until) : Infinity }
  }

  return {
    /** Current: reflects every commit acknowledged before the call. `host` is lower case. */
    find(host: string): Awaitable<FoundHost | undefined> {
      if (host.length > maxHostLength) return undefined
      return withValue(versions(), (version) => at(host, version))
    },
  }
}

const nowhere = { found: undefined, until: Infinity }
/** Of a row that has no slug of an earlier project, nor a former one. */
const current = { cleared_until: null, is_current: 1n }

function restrictionOf({
  project,
  site_password_hash: passwordHash,
  visibility,
}: Pick<NonNullable<(typeof byHost)['row']>, 'project' | 'visibility' | 'site_password_hash'>):
  | Restriction
  | undefined {
  if (project === null || visibility === null) return undefined
  if (toVisibility(visibility) === 'public') return undefined
  return toVisibility(visibility) === 'password' && passwordHash !== null
    ? { kind: 'password', of: 'site', key: project, passwordHash }
    : { kind: 'members', projectId: project }
}

function isLater(end: bigint | null, now: number): boolean {
  return end !== null && Number(end) > now
}

/** Suspended hosts use their certificate, too, to show the suspension page. */
export function hostDirectory(
  hosts: HostFinder,
  { challengeFor, load }: Pick<Certificates, 'challengeFor' | 'load'>,
): HostDirectory {
  const certificateOf = (host: FoundHost | undefined): HostCertificate | undefined => {
    if (!host?.certificate || host.serving === 'off') return undefined
    const { id, load: loadOwn = () => load(id) } = host.certificate
    return { id, load: loadOwn }
  }
  return {
    certificateFor: (host) => withValue(hosts.find(host), certificateOf),
    challengeFor,
  }
}

const one = sql.lit(1n)
const proven = sql.lit('proven')
const primaryRole = sql.lit('primary')

const visibilityColumns = [
  'projects.id as project',
  'projects.visibility',
  'projects.site_password_hash',
] as const

const byHost = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', one),
    )
    .leftJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'domains.project_id').on('slugs.is_current', '=', one),
    )
    .leftJoin('projects', 'projects.id', 'domains.project_id')
    .leftJoin('domains as lead', (join) =>
      join
        .onRef('lead.project_id', '=', 'domains.project_id')
        .on('lead.role', '=', primaryRole)
        .on('lead.ownership', '=', proven),
    )
    .leftJoin('domains as target', (join) =>
      join
        .onRef('target.host', '=', 'domains.redirect_to')
        .onRef('target.project_id', '=', 'domains.project_id')
        .on('target.ownership', '=', proven),
    )
    .select(['slugs.slug', 'domains.serving', 'domains.role', 'domains.redirect_status'])
    .select(visibilityColumns)
    .select(['domains.expires_at', 'certificates.id', 'certificates.directory'])
    .select(['lead.host as lead', 'lead.serving as lead_serving', 'lead.expires_at as lead_until'])
    .select(['target.host as target', 'target.serving as target_serving'])
    .select('target.expires_at as target_until')
    .where((eb) => eb.and({ 'domains.host': param('host'), 'domains.ownership': proven })),
)

interface HostOfSlug {
  slug: string
  host: string
}

/** A slug's host belongs to the project even without a row in `domains`. A held slug has no project. */
const selectHost = (db: Kysely<PublishingTables>, param: Param<HostOfSlug>) =>
  db
    .selectFrom('slugs')
    .leftJoin('projects', 'projects.id', 'slugs.project_id')
    .leftJoin('domains', (join) =>
      join.on('domains.host', '=', param('host')).on('domains.ownership', '=', proven),
    )
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', one),
    )
    .select(['domains.serving', 'domains.expires_at', 'certificates.id', 'certificates.directory'])
    .select(visibilityColumns)
    .where('slugs.slug', '=', param('slug'))
    .where('slugs.project_id', 'is not', null)

const bySlug = prepareQuery<HostOfSlug>()((db, param) =>
  selectHost(db, param)
    .leftJoin('domains as lead', (join) =>
      join
        .onRef('lead.project_id', '=', 'slugs.project_id')
        .on('lead.role', '=', primaryRole)
        .on('lead.ownership', '=', proven),
    )
    .select(['slugs.cleared_until', 'slugs.is_current'])
    .select(['lead.host as lead', 'lead.serving as lead_serving', 'lead.expires_at as lead_until']),
)

const byPreview = prepareQuery<HostOfSlug & { name: string }>()((db, param) =>
  selectHost(db, param)
    .innerJoin('previews', 'previews.project_id', 'slugs.project_id')
    .leftJoin('deploys', (join) =>
      join
        .onRef('deploys.project_id', '=', 'previews.project_id')
        .onRef('deploys.number', '=', 'previews.number'),
    )
    .select(['previews.project_id', 'previews.number', 'previews.password_hash'])
    .select(['previews.expires_at as ends_at', 'deploys.kind'])
    .where('slugs.is_current', '=', one)
    .where('previews.name', '=', param('name')),
)
