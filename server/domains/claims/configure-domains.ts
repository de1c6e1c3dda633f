// Changes the configuration of a project's domains in one transaction, so that no reader sees a partial change.
import { type AuditOrigin, programOrigin } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { type Conditions, entityTag, failedCondition } from '#kit/http/response/ready-response.ts'
import { invalid } from '#kit/schema/checks.ts'
import { publishingTransaction } from '#publishing/database/publishing-state.ts'
import { prepare, prepareQuery } from '#publishing/database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { listDomains } from '../database/find-domains.ts'
import { recordEvent } from '../database/record-event.ts'
import { type Configuration, problemsOf } from './domain-configuration.ts'

const setRole = prepare.update(
  'domains',
  { role: 'role', redirect_to: 'to', redirect_status: 'status', version: { add: 1n } },
  { id: 'id' },
)
const endRedirectsTo = prepare.update(
  'domains',
  { role: { value: 'alias' }, redirect_to: null, redirect_status: null, version: { add: 1n } },
  { project_id: 'project', redirect_to: 'host' },
  ['id', 'host'],
)
const otherProven = prepareQuery<{ project: string; id: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .select('id')
    .where('project_id', '=', param('project'))
    .where('id', '!=', param('id'))
    .where((eb) => eb.or([eb('ownership', '=', 'proven'), eb('role', '=', 'primary')]))
    .limit(1),
)

interface SetConfiguration {
  projectId: string
  configuration: Configuration
  conditions: Conditions
  /** Who changes it. */
  origin: AuditOrigin
}

/** Returns the new configuration. Throws `invalid_body` that names the fields, `precondition_failed`. */
export const setConfiguration = publishingTransaction(
  async (session, { conditions, configuration, origin, projectId }: SetConfiguration) => {
    const domains = await listDomains(session, projectId)
    const before = configurationOf(domains)
    const failed = failedCondition(conditions, tagOf(before), 'configuration')
    if (failed) throw failed
    const hosts = domains.map(({ host }) => host)
    const problems = problemsOf(configuration, hosts)
    if (problems.length > 0) throw invalid('invalid_body', problems)
    const after = domains.map((domain) => ({ ...domain, ...roleIn(configuration, domain.host) }))
    // Only one primary may exist at a time: clear the old one before setting the new one.
    for (const isPrimary of [false, true]) {
      for (const { id, redirect, role } of after) {
        const { status = null, to = null } = redirect ?? {}
        if ((role === 'primary') === isPrimary) await session.all(setRole, { id, role, to, status })
      }
    }
    for (const [i, domain] of domains.entries()) {
      await recordRole(session, domain, after[i] as FoundDomain, origin)
    }
    return configurationOf(after)
  },
)

/** The ETag of a configuration, for If-Match. */
export function tagOf(configuration: Configuration): string {
  return entityTag(JSON.stringify(configuration))
}

/**
 * The first proven domain of a project becomes its primary, unless a user has configured its role. Call it
 * inside the write that proves ownership. Returns the domain after the change.
 */
export async function makePrimaryIfFirst(session: Session, domain: FoundDomain, at: number) {
  const { id, projectId: project, role } = domain
  if (role !== 'alias' || (await findOne(session, otherProven, { id, project }))) return domain
  await session.all(setRole, { id, role: 'primary', to: null, status: null })
  const after: FoundDomain = { ...domain, role: 'primary', version: domain.version + 1 }
  await recordRole(session, domain, after, programOrigin(at))
  return after
}

/** Ends the redirects to a removed host. Returns the hosts that redirected to it and now serve the site. */
export async function releaseRedirects(
  session: Session,
  { holder, host, projectId }: Pick<FoundDomain, 'holder' | 'host' | 'projectId'>,
  origin: AuditOrigin,
): Promise<string[]> {
  const released = await session.all(endRedirectsTo, { host, project: projectId })
  for (const { host, id } of released) {
    const change = { type: 'configured', detail: { role: 'alias' }, isNotice: false } as const
    await recordEvent(session, { id, host, projectId, holder }, { ...change, origin })
  }
  return released.map((row) => row.host).sort()
}

async function recordRole(
  session: Session,
  before: FoundDomain,
  { redirect, role }: FoundDomain,
  origin: AuditOrigin,
): Promise<void> {
  const { status, to } = redirect ?? {}
  const isSame = to === before.redirect?.to && status === before.redirect?.status
  if (isSame && role === before.role) return
  const detail = {
    role,
    ...(redirect ? { redirectTo: redirect.to, redirectStatus: redirect.status } : {}),
  }
  await recordEvent(session, before, { type: 'configured', detail, isNotice: false, origin })
}

function roleIn(
  { primary, redirects }: Configuration,
  host: string,
): Pick<FoundDomain, 'role' | 'redirect'> {
  const redirect = redirects.find(({ from }) => from === host)
  if (redirect) return { role: 'redirect', redirect: { to: redirect.to, status: redirect.status } }
  return { role: host === primary ? 'primary' : 'alias', redirect: undefined }
}

type Configured = Pick<FoundDomain, 'host' | 'role' | 'redirect'>

/** As the domains have it; redirects by host. */
export function configurationOf(domains: readonly Configured[]): Configuration {
  return {
    primary: domains.find(({ role }) => role === 'primary')?.host ?? null,
    redirects: domains.flatMap(({ host, redirect }) =>
      redirect ? [{ from: host, ...redirect }] : [],
    ),
  }
}
