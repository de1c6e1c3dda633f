// The configuration of a project's domains is changed: all of it in one write, so that nobody ever sees half.
import { each, findOne, type Session } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { entityTag, matchesStrongly } from '../../../platform/http/response/ready-response.ts'
import { invalid } from '../../../platform/schema/checks.ts'
import { changePublished } from '../../database/publishing-state.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { listDomains } from '../database/find-domains.ts'
import { recordEvent } from '../events/record-event.ts'
import { type Configuration, configurationOf, problemsOf } from './configuration.ts'

const setRole = prepareQuery<{
  id: string
  role: string
  to: string | null
  status: number | null
}>()((db, param) =>
  db
    .updateTable('domains')
    .set({
      role: param('role'),
      redirect_to: param('to'),
      redirect_status: param('status'),
    })
    .where('id', '=', param('id')),
)
const endRedirectsTo = prepareQuery<{ project: string; host: string }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ role: 'alias', redirect_to: null, redirect_status: null })
    .where('project_id', '=', param('project'))
    .where('redirect_to', '=', param('host'))
    .returning(['id', 'host']),
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

export interface SetConfiguration {
  projectId: string
  configuration: Configuration
  /** The tag of the configuration that is to be replaced; undefined for whichever there is. */
  ifMatch: string | undefined
  now: number
  /** The account that changes it. */
  actor: string | null
}

/**
 * Gives the configuration as it is then. Throws `invalid_body` that names the fields, `precondition_failed`.
 * For a group commit.
 */
export const setConfigurationTransaction = each(
  async (session, { actor, configuration, ifMatch, now, projectId }: SetConfiguration) => {
    await changePublished(session)
    const domains = await listDomains(session, projectId)
    const before = configurationOf(domains)
    if (ifMatch !== undefined && !matchesStrongly(ifMatch, tagOf(before))) {
      const message = 'The configuration has changed since the ETag of If-Match. Read it again.'
      throw new AppError('precondition_failed', message)
    }
    const hosts = domains.map(({ host }) => host)
    const problems = problemsOf(configuration, hosts)
    if (problems.length > 0) throw invalid('invalid_body', problems)
    const after = domains.map((domain) => ({ ...domain, ...roleIn(configuration, domain.host) }))
    // There is one primary at any moment: the old one goes before the new one comes.
    for (const isPrimary of [false, true]) {
      for (const { id, redirect, role } of after) {
        const { status = null, to = null } = redirect ?? {}
        if ((role === 'primary') === isPrimary) await session.all(setRole, { id, role, to, status })
      }
    }
    for (const [i, domain] of domains.entries()) {
      await recordRole(session, domain, after[i] as FoundDomain, { at: now, actor })
    }
    return configurationOf(after)
  },
)

/** By which a change says what it was made from. */
export function tagOf(configuration: Configuration): string {
  return entityTag(JSON.stringify(configuration))
}

/**
 * The first domain of a project that is proven becomes its primary, unless somebody has said what it is to
 * be. Inside the write in which it was proven. Gives the domain as it is then.
 */
export async function makePrimaryIfFirst(
  session: Session,
  domain: FoundDomain,
  at: number,
): Promise<FoundDomain> {
  const { id, projectId: project, role } = domain
  if (role !== 'alias' || (await findOne(session, otherProven, { id, project }))) return domain
  await session.all(setRole, { id, role: 'primary', to: null, status: null })
  const after: FoundDomain = { ...domain, role: 'primary' }
  await recordRole(session, domain, after, { at, actor: null })
  return after
}

/** A host of the project goes: gives the hosts that redirected to it, and serve the site from now on. */
export async function releaseRedirects(
  session: Session,
  { holder, host, projectId }: Pick<FoundDomain, 'holder' | 'host' | 'projectId'>,
  by: { at: number; actor: string | null },
): Promise<string[]> {
  const released = await session.all(endRedirectsTo, { host, project: projectId })
  for (const { host, id } of released) {
    const change = { type: 'configured', detail: { role: 'alias' }, isNotice: false } as const
    await recordEvent(session, { id, host, projectId, holder }, { ...change, ...by })
  }
  return released.map((row) => row.host).sort()
}

async function recordRole(
  session: Session,
  before: FoundDomain,
  { redirect, role }: FoundDomain,
  by: { at: number; actor: string | null },
): Promise<void> {
  const { status, to } = redirect ?? {}
  const isSame = to === before.redirect?.to && status === before.redirect?.status
  if (isSame && role === before.role) return
  const detail = {
    role,
    ...(redirect ? { redirectTo: redirect.to, redirectStatus: redirect.status } : {}),
  }
  await recordEvent(session, before, { type: 'configured', detail, isNotice: false, ...by })
}

function roleIn(
  { primary, redirects }: Configuration,
  host: string,
): Pick<FoundDomain, 'role' | 'redirect'> {
  const found = redirects.find(({ from }) => from === host)
  if (found) return { role: 'redirect', redirect: { to: found.to, status: found.status } }
  return { role: host === primary ? 'primary' : 'alias', redirect: undefined }
}
