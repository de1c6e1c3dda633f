// Routes of Domain Connect: find the domain for the caller, look at its zone and provider, start, finish.

import { createDomainView, isJustVerified, nameOfHost } from '#domains/api/domain-response.ts'
import type { SpendCheck } from '#domains/checks/check-runner.ts'
import { ownershipPrefix } from '#domains/claims/claims-on-host.ts'
import type { FoundDomain } from '#domains/database/domain-row.ts'
import { findDomainById, findDomainInProject } from '#domains/database/find-domains.ts'
import { readHostname } from '#domains/host-names/hostname.ts'
import { originOf } from '#kit/audit/record-audit.ts'
import { timeOrNull } from '#kit/clock.ts'
import type { DomainConnectSettings } from '#kit/config/config.ts'
import { AppError } from '#kit/errors.ts'
import type { Caller } from '#kit/management/caller.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { findProjectById } from '#publishing/projects/find-project.ts'
import type { ProjectPermission } from '#publishing/projects/project-roles.ts'
import { getOwnProject } from '#publishing/projects/routes.ts'
import {
  createState,
  findLastReturn,
  findOpenConnection,
  finishConnection,
  readOutcome,
  startConnection,
} from '../connections/connections.ts'
import { explainOpen, explainReturn, explainUnavailable } from '../connections/explain.ts'
import {
  chooseGroups,
  type Offer,
  type OfferContext,
  offerConnection,
  type Unavailable,
} from '../connections/offer-connection.ts'
import type { DomainConnect, UnavailableReason } from '../connections/schema.ts'
import { createApplyUrl, maxApplyUrlLength } from '../signing/apply-url.ts'
import { type ConnectKey, findSigningKey } from '../signing/signing-keys.ts'
import { operations } from './operations.ts'

/** Providers may write late, and some do not send the browser back. */
const waitMs = 120_000

export interface ConnectRoutesContext extends Pick<PublishingContext, 'clock' | 'database'> {
  offers: OfferContext
  settings: DomainConnectSettings
  secrets: Secrets
  dashboardUrl: URL
  spendCheck: SpendCheck
  /** Verifies a domain as its owner would; undefined when it was removed meanwhile. */
  verify(domain: FoundDomain): Promise<FoundDomain | undefined>
}

export function connectRoutes(context: ConnectRoutesContext): Route[] {
  const { clock, dashboardUrl, database, offers, secrets, settings, spendCheck } = context
  const { read } = database
  const view = createDomainView(read, clock, offers.platformHost)

  async function getOwnDomain(
    caller: Caller,
    { host, slug }: { host: string; slug: string },
    permission: ProjectPermission,
  ) {
    const project = await getOwnProject(read, caller, slug, permission)
    const { ok: name } = readHostname(host)
    const domain = name && (await findDomainInProject(read, project.id, name.host))
    if (!domain) throw new AppError('domain_not_found', 'The project has no such domain.')
    return { project, domain }
  }

  /** Asks the zone and its provider only where the rest is in order. */
  async function offerFor(
    caller: Caller,
    domain: FoundDomain,
    slug: string,
    isFresh: boolean,
  ): Promise<{ offer: Offer; key: ConnectKey | undefined }> {
    const no = (reason: UnavailableReason) => ({
      offer: { kind: 'unavailable', reason } as Unavailable,
      key: undefined,
    })
    const { template } = settings
    if (!template) return no('not_configured')
    const name = nameOfHost(domain.host)
    if (name.isApex) return no('apex')
    const groups = await chooseGroups(read, domain, await view(domain, slug), clock())
    if (typeof groups === 'string') return no(groups)
    const key = await findSigningKey(read, secrets)
    if (!key) return no('no_key')
    await spendCheck(caller.account.id, 'domain')
    const owner = caller.account.id
    const input = { domain, name, groups, template, owner, isFresh }
    return { offer: await offerConnection(offers, input), key }
  }

  async function lastReturnOf(domain: FoundDomain): Promise<DomainConnect['lastReturn']> {
    const last = await findLastReturn(read, domain.id, clock())
    if (!last) return null
    const { outcome, provider, returnedAt } = last
    const isSet = isSetInDns(domain, last)
    const message = explainReturn(last, isSet)
    return { outcome, provider, isSet, message, at: timeOrNull(returnedAt) ?? '' }
  }

  async function openOf(domain: FoundDomain): Promise<DomainConnect['open']> {
    const found = await findOpenConnection(read, domain.id, clock())
    if (!found || isSetInDns(domain, found)) return null
    const { provider, startedAt } = found
    const isLate = clock() - startedAt >= waitMs
    const message = explainOpen(provider, isLate)
    return { provider, isLate, message, startedAt: timeOrNull(startedAt) ?? '' }
  }

  return [
    route(operations.getDomainConnect, async ({ caller, params }) => {
      const { domain, project } = await getOwnDomain(caller, params, 'read')
      const { offer } = await offerFor(caller, domain, project.slug, false)
      const open = await openOf(domain)
      return { ...showOffer(offer), lastReturn: await lastReturnOf(domain), open }
    }),
    route(operations.startDomainConnect, async (call) => {
      const { caller, params } = call
      const { domain, project } = await getOwnDomain(caller, params, 'edit')
      const { key, offer } = await offerFor(caller, domain, project.slug, true)
      const { template } = settings
      if (offer.kind !== 'offered' || !key || !template) {
        const { message } = showOffer(offer)
        throw new AppError(
          'connect_unavailable',
          message ?? 'One click is not possible for this domain. Create the record yourself.',
        )
      }
      const { adds, deletes, groups, label, provider } = offer
      const state = createState()
      const url = createApplyUrl(
        {
          consentUrl: provider.consentUrl,
          providerId: template.providerId,
          serviceId: template.serviceId,
          domain: provider.zone,
          host: label,
          groups,
          variables: { verify: domain.verificationToken.slice(ownershipPrefix.length) },
          redirectUri: new URL(`/connect/${state}`, dashboardUrl).href,
          state,
        },
        key,
      )
      if (url.length > maxApplyUrlLength)
        throw new AppError('connect_unavailable', 'The link would be too long for the provider.')
      const { expiresAt } = await startConnection(database, {
        domain,
        ownerId: project.ownerId,
        ...{ state, caller, groups, provider: provider.name },
        origin: originOf(call, clock()),
      })
      const expires = timeOrNull(expiresAt) ?? ''
      return { url, expiresAt: expires, provider: provider.name, adds, deletes }
    }),
    route(operations.finishDomainConnect, async (call) => {
      const { body, caller } = call
      const { error = null, errorDescription = '', state } = body
      const reported = readOutcome(error, errorDescription)
      const input = { state, caller, origin: originOf(call, clock()), ...reported }
      const finished = await finishConnection(database, input)
      const domain = finished && (await findDomainById(read, finished.domainId))
      const project = domain && (await findProjectById(read, domain.projectId))
      if (!project) throw notValid()
      // A member may have lost the role meanwhile.
      await getOwnProject(read, caller, project.slug, 'edit')
      if (!isJustVerified(domain.state, clock())) {
        await spendCheck(caller.account.id, 'domain')
        await context.verify(domain)
      }
      return { project: project.slug, host: domain.host, outcome: finished.outcome }
    }),
  ]
}

/** Whether DNS has the records that a click was for. */
function isSetInDns({ state }: FoundDomain, { recordGroups }: { recordGroups: string }): boolean {
  const groups = recordGroups.split(',')
  const isPointed = state.dns === 'ok' || !groups.includes('site')
  return isPointed && (state.ownership === 'proven' || !groups.includes('ownership'))
}

function showOffer(offer: Offer): Omit<DomainConnect, 'lastReturn' | 'open'> {
  if (offer.kind === 'offered') {
    const { adds, deletes, provider } = offer
    const { consentUrl, controlPanel = null, name } = provider
    const shown = { name, site: consentUrl.host, controlPanel }
    return { status: 'offered', reason: null, message: null, provider: shown, adds, deletes }
  }
  const { controlPanel = null, detail, name, reason } = offer
  return {
    status: 'unavailable',
    reason,
    message: explainUnavailable(reason, { detail, ...(name !== undefined && { name }) }),
    provider: name === undefined ? null : { name, site: null, controlPanel },
    adds: [],
    deletes: [],
  }
}

function notValid(): AppError {
  const message =
    'This return from a DNS provider was already used, is older than an hour, or was started in another browser. Open the domain and choose Verify: its status comes from DNS.'
  return new AppError('link_not_valid', message)
}
