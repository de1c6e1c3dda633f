// Adds a domain to a project: a claim of the project's holder on the host, which checks prove later. Also requests, or
// cancels, that its certificate is issued before DNS points to us.

import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import type { Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { createRecordId } from '#kit/identifiers.ts'
import { prepare } from '#publishing/database/tables.ts'
import { type FoundProject, findProjectById } from '#publishing/projects/find-project.ts'
import { planLimits, planOf } from '#publishing/projects/plan-limits.ts'
import { applyEvent } from '../database/apply-event.ts'
import { abandonChallenge, releaseAuthorizations } from '../database/challenges.ts'
import { type FoundDomain, insertDomain, operators } from '../database/domain-row.ts'
import { countDomains, findDomainById, findDomainOfHolder } from '../database/find-domains.ts'
import { recordEvent } from '../database/record-event.ts'
import { stateWhenAdded } from '../state/domain-state.ts'
import { createVerificationToken } from './claims-on-host.ts'

/** More competing claims than occur in practice. */
const maxClaims = 100

const linked = prepare.select(
  'domains',
  ['id'],
  {
    host: 'host',
    id: { '!=': 'id' },
    ownership: { '!=': { value: 'proven' } },
    connect_linked_at: { 'is not': null },
  },
  { limit: 'max' },
)
const replace = prepare.update(
  'domains',
  { verification_token: 'token', connect_linked_at: null, version: { add: 1n } },
  { id: 'id' },
)

/**
 * Gives the other unproven claims on the host of a new one another verification token, if theirs is in a link to a DNS
 * provider (Domain Connect). Such a link does not expire: who opens it and consents proves the name for the account that
 * made it. The new token makes it worthless, and no link is made for the claim from then on.
 */
async function replaceLinkedTokens(
  session: Session,
  { host, id }: { host: string; id: string },
): Promise<void> {
  for (const claim of await session.all(linked, { host, id, max: maxClaims }))
    await session.all(replace, { id: claim.id, token: createVerificationToken() })
}

interface AddDomain {
  projectId: string
  /** As `readHostname` gives it. */
  host: string
  /** Whether its certificate is issued before DNS points to us. */
  isPrepared: boolean
  /** Who adds it. */
  origin: AuditOrigin
}

/**
 * Undefined when the project was deleted meanwhile. Throws `plan_required`, `deploy_required`, `domain_taken`,
 * `limit_reached`.
 */
export const addDomain = locked(
  async (
    session,
    { host, isPrepared, origin, projectId }: AddDomain,
  ): Promise<FoundDomain | undefined> => {
    const now = origin.at
    const project = await findProjectById(session, projectId)
    if (!project) return undefined
    const [missing] = await findMissingPreconditions(session, project)
    if (missing) throw new AppError(missing.code, missing.message)
    const holder = project.ownerId ?? operators
    await requireNotAdded(session, host, holder, projectId)
    const max = planLimits.paid.domains
    if ((await countDomains(session, projectId)) >= max) {
      throw new AppError('limit_reached', `A project has ${max} domains at most; remove one first.`)
    }
    const id = createRecordId('dom', now)
    const subject = { id, host, projectId, holder }
    const domain = await insertDomain(session, {
      ...subject,
      verificationToken: createVerificationToken(),
      addedAt: now,
      state: stateWhenAdded(now),
    })
    await replaceLinkedTokens(session, subject)
    const added = { type: 'added', detail: {}, isNotice: false, origin } as const
    await recordEvent(session, subject, added)
    if (!isPrepared) return domain
    return await applyPreparation(session, domain, { isRequested: true, origin })
  },
)

async function requireNotAdded(session: Session, host: string, holder: string, projectId: string) {
  const own = await findDomainOfHolder(session, host, holder)
  if (!own) return
  const place =
    own.projectId === projectId ? undefined : await findProjectById(session, own.projectId)
  const message = place
    ? `${host} is on your project ${place.slug}. Remove it there first.`
    : `${host} is on this project already.`
  throw new AppError('domain_taken', message, { details: [{ path: 'host', message }] })
}

interface MissingPrecondition {
  code: 'plan_required' | 'deploy_required'
  /** What is missing, and what to do about it. */
  message: string
}

/**
 * The unmet preconditions for adding a domain, in the order to fix them; empty when it can be added: a paid plan and a
 * successful deploy (specification, custom domain procedure, step 1). Access to the registrar's DNS settings cannot be
 * checked.
 */
export async function findMissingPreconditions(
  session: Session,
  project: FoundProject,
): Promise<MissingPrecondition[]> {
  const missing: MissingPrecondition[] = []
  if ((await planOf(session, project)) !== 'paid') {
    const message =
      'Custom domains need the paid plan. Ask an operator of this server to set it for you.'
    missing.push({ code: 'plan_required', message })
  }
  if (project.liveDeploy === null) {
    const message = `Nothing is published of this project yet. Deploy it first: animal-store deploy FOLDER --project ${project.slug}`
    missing.push({ code: 'deploy_required', message })
  }
  return missing
}

interface SetPreparation {
  id: string
  isRequested: boolean
  /** Who requests it. */
  origin: AuditOrigin
}

/** Returns the domain after it; undefined when it was removed meanwhile. */
export const setPreparation = locked(
  async (session, { id, ...change }: SetPreparation): Promise<FoundDomain | undefined> => {
    const domain = await findDomainById(session, id)
    return domain && (await applyPreparation(session, domain, change))
  },
)

/** The same inside a write. */
async function applyPreparation(
  session: Session,
  domain: FoundDomain,
  { isRequested, origin }: Omit<SetPreparation, 'id'>,
): Promise<FoundDomain> {
  const event = { type: 'preparation', at: origin.at, isRequested } as const
  const after = await applyEvent(session, domain, event)
  const wasRequested = domain.state.preparation === 'requested'
  if ((after.state.preparation === 'requested') === wasRequested) return after
  // A record that is still there is of no use to anybody.
  if (wasRequested && (await abandonChallenge(session, domain, 'canceled', origin.at))) {
    await releaseAuthorizations(session, domain.id, origin.at)
  }
  const type = isRequested ? 'preparation_requested' : 'preparation_canceled'
  await recordEvent(session, domain, { type, detail: {}, isNotice: false, origin })
  return after
}
