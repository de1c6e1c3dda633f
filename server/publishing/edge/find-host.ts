// What is served at a host: a domain of a project, or a project's host below the platform's. Remembered until
// the version of what is published moves, and asked anew then, so that a host that is removed or gets a
// certificate is seen so by the next request, on every node. What it costs does not depend on how many
// there are.

import { sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Awaitable, Database } from '../../platform/database/database.ts'
import type { HostCertificate, HostDirectory } from '../../platform/http/tls/host-directory.ts'
import type { Certificates } from '../certificates/open-certificates.ts'
import { prepareQuery } from '../database/tables.ts'
import { type RedirectStatus, redirectStatuses } from '../domains/database/domain-row.ts'

export interface FoundHost {
  host: string
  /** Of the project whose site it is; undefined for hosts that are the program's own. */
  slug: string | undefined
  serving: 'off' | 'http_only' | 'https' | 'suspended'
  /** There is one and it has not expired. */
  certificate: ({ id: string; isTrusted: boolean } & Partial<HostCertificate>) | undefined
  /** Leads to another host of its project. */
  redirect: { to: string; isSecure: boolean; status: RedirectStatus } | undefined
  /** The project's primary domain, once it is served by HTTPS. */
  primary: string | undefined
}

export interface HostFinder {
  /** As it is now: no commit that was acknowledged before the call is missed. Host in lower case. */
  find(host: string): Awaitable<FoundHost | undefined>
}

export interface HostFinderOptions {
  database: Database
  clock: Clock
  /** Moves with what is published (watch-row.ts). */
  versions: () => Awaitable<bigint>
  platformHost: string
  /** The program's own hosts beside those below the platform's. */
  ownHosts?: readonly string[]
  /** That of the operator for hosts of our own, in the place of theirs. */
  operatorCertificate?: ((host: string) => HostCertificate | undefined) | undefined
  /** Kept at most, of each kind: those that there are, and those that there are not. */
  most?: number
}

const one = sql.lit(1n)
const proven = sql.lit('proven')
const primaryRole = sql.lit('primary')

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
    .select(['domains.expires_at', 'certificates.id', 'certificates.directory'])
    .select(['lead.host as lead', 'lead.serving as lead_serving', 'lead.expires_at as lead_until'])
    .select(['target.host as target', 'target.serving as target_serving'])
    .select('target.expires_at as target_until')
    .where('domains.host', '=', param('host'))
    .where('domains.ownership', '=', proven),
)

/** A slug's host is the project's whether it has a row of its own or not. */
const bySlug = prepareQuery<{ slug: string; host: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .leftJoin('domains', (join) =>
      join.on('domains.host', '=', param('host')).on('domains.ownership', '=', proven),
    )
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', one),
    )
    .leftJoin('domains as lead', (join) =>
      join
        .onRef('lead.project_id', '=', 'slugs.project_id')
        .on('lead.role', '=', primaryRole)
        .on('lead.ownership', '=', proven),
    )
    .select(['domains.serving', 'domains.expires_at'])
    .select(['certificates.id', 'certificates.directory'])
    .select(['lead.host as lead', 'lead.serving as lead_serving', 'lead.expires_at as lead_until'])
    .where('slugs.slug', '=', param('slug')),
)

interface Remembered {
  version: bigint
  /** Of the operator's certificate, where that is shown. */
  operators: string | undefined
  /** Held back until then: after it the certificate counts no more. */
  until: number
  found: FoundHost | undefined
}

type Asked = Pick<Remembered, 'found' | 'until'>

export function createHostFinder(options: HostFinderOptions): HostFinder {
  const { clock, database, most = 20_000, operatorCertificate, platformHost, versions } = options
  const below = `.${platformHost}`
  const ownHosts = new Set(options.ownHosts)
  const there = new Map<string, Remembered>()
  const missing = new Map<string, Remembered>()

  function at(host: string, version: bigint): Awaitable<FoundHost | undefined> {
    const known = there.get(host) ?? missing.get(host)
    const operators = operatorsFor(host)
    const isCurrent = known?.version === version && known.operators === operators?.id
    if (isCurrent && clock() < known.until) return known.found
    const asked = host.endsWith(below)
      ? askBySlug(host, host.slice(0, -below.length))
      : askByHost(host)
    return asked instanceof Promise
      ? asked.then((answer) => keep(host, version, operators, answer))
      : keep(host, version, operators, asked)
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
    asked: Asked,
  ): FoundHost | undefined {
    const { found, until } = operators === undefined ? asked : withOperators(host, operators, asked)
    // Names that nobody has are made up without end: they push out each other, and nothing else.
    const kept = found ? there : missing
    const other = found ? missing : there
    other.delete(host)
    kept.delete(host)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= most) kept.delete(oldest)
    kept.set(host, { version, operators: operators?.id, until, found })
    return found
  }

  function withOperators(
    host: string,
    { id, load }: HostCertificate,
    { found, until }: Asked,
  ): Asked {
    // What is below the platform's host is there when its project is.
    if (!found && !ownHosts.has(host)) return { found, until }
    const none = { host, slug: undefined, redirect: undefined, primary: undefined }
    const certificate = { id, load, isTrusted: true }
    return { until, found: { ...(found ?? none), serving: 'https', certificate } }
  }

  function askByHost(host: string): Awaitable<Asked> {
    const rows = database.read.all(byHost, { host })
    const read = ([row]: NonNullable<(typeof byHost)['row']>[]) => {
      if (!row) return nowhere
      const serving = row.serving as FoundHost['serving']
      return toHost(host, row, serving, row.slug ?? undefined, redirectOf(row))
    }
    return rows instanceof Promise ? rows.then(read) : read(rows)
  }

  function askBySlug(host: string, slug: string): Awaitable<Asked> {
    if (!/^[a-z0-9-]{1,63}$/.test(slug)) return nowhere
    const rows = database.read.all(bySlug, { host, slug })
    const read = ([row]: NonNullable<(typeof bySlug)['row']>[]) => {
      if (!row) return nowhere
      const serving = (row.serving ?? 'http_only') as FoundHost['serving']
      return toHost(host, row, serving, slug, undefined)
    }
    return rows instanceof Promise ? rows.then(read) : read(rows)
  }

  function toHost(
    host: string,
    row: Pick<NonNullable<(typeof byHost)['row']>, Shared>,
    serving: FoundHost['serving'],
    slug: string | undefined,
    redirect: (FoundHost['redirect'] & { until: number }) | undefined,
  ): Asked {
    const { directory, expires_at, id, lead, lead_serving, lead_until } = row
    const now = clock()
    const hasCertificate = id !== null && isLater(expires_at, now)
    const isLed = lead !== null && lead_serving === 'https' && isLater(lead_until, now)
    const untils = [expires_at, lead_until].filter((end) => isLater(end, now)).map(Number)
    return {
      until: Math.min(...untils, redirect?.until ?? Infinity),
      found: {
        host,
        slug,
        serving: serving === 'https' && !hasCertificate ? 'http_only' : serving,
        certificate: hasCertificate ? { id, isTrusted: directory !== 'internal' } : undefined,
        redirect,
        primary: isLed ? lead : undefined,
      },
    }
  }

  function redirectOf(row: NonNullable<(typeof byHost)['row']>) {
    const { redirect_status, role, target, target_serving, target_until } = row
    const status = redirectStatuses.find((known) => known === Number(redirect_status))
    if (role !== 'redirect' || target === null || status === undefined) return undefined
    // A target that is not served leads nowhere: the site is served here instead.
    if (target_serving !== 'https' && target_serving !== 'http_only') return undefined
    const isSecure = target_serving === 'https' && isLater(target_until, clock())
    return { to: target, isSecure, status, until: isSecure ? Number(target_until) : Infinity }
  }

  return {
    find(host) {
      const version = versions()
      return version instanceof Promise ? version.then((now) => at(host, now)) : at(host, version)
    },
  }
}

type Shared = 'expires_at' | 'id' | 'directory' | 'lead' | 'lead_serving' | 'lead_until'

const nowhere = { found: undefined, until: Infinity }

function isLater(end: bigint | null, now: number): boolean {
  return end !== null && Number(end) > now
}

/** Hosts that are suspended show theirs as well: how else could they say so? */
export function hostDirectory(
  hosts: HostFinder,
  { challengeFor, load }: Pick<Certificates, 'challengeFor' | 'load'>,
): HostDirectory {
  const certificateOf = (found: FoundHost | undefined): HostCertificate | undefined => {
    if (!found?.certificate || found.serving === 'off') return undefined
    const { id, load: loadOwn = () => load(id) } = found.certificate
    return { id, load: loadOwn }
  }
  return {
    certificateFor(host) {
      const found = hosts.find(host)
      return found instanceof Promise ? found.then(certificateOf) : certificateOf(found)
    },
    challengeFor,
  }
}
