// Domain Connect, as the rest of the program uses it: its operations (find the domain for the caller, look at its zone and
// provider, start, finish), how a process opens them, the deletion of old rows, and the check of the installation.
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { createDomainView, isJustVerified, nameOfHost } from '#domains/api/domain-response.ts'
import { getDomain } from '#domains/api/routes.ts'
import { checkAllowance, type SpendCheck } from '#domains/checks/check-runner.ts'
import { ownershipPrefix } from '#domains/claims/claims-on-host.ts'
import type { FoundDomain } from '#domains/database/domain-row.ts'
import { findDomainById } from '#domains/database/find-domains.ts'
import type { Caller } from '#kit/caller.ts'
import { timeOrNull } from '#kit/clock.ts'
import type { Config, DomainConnectSettings } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { AppError } from '#kit/errors.ts'
import { createExpiringMap } from '#kit/expiring-map.ts'
import { bindRoutes, routesOf } from '#kit/management/route.ts'
import { openSecrets, type Secrets } from '#kit/secrets.ts'
import type { Finding } from '#kit/system/schema.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { findProjectById } from '#publishing/projects/find-project.ts'
import { getOwnProject, projectRoutesOf } from '#publishing/projects/routes.ts'
import {
  type Connection,
  createState,
  deleteExpiredConnections,
  findRecentConnections,
  finishConnection,
  readOutcome,
  startConnection,
} from './connections/connections.ts'
import {
  chooseGroups,
  maxRemembered,
  type Offer,
  type OfferContext,
  offerConnection,
  type Unavailable,
} from './connections/offer-connection.ts'
import type { UnavailableReason } from './connections/schema.ts'
import * as schema from './connections/schema.ts'
import { createConnectClient } from './discovery/discover-provider.ts'
import { createApplyUrl, maxApplyUrlLength } from './links/apply-url.ts'
import {
  type ConnectKey,
  connectKeyContext,
  deleteRetiredKeys,
  findSigningKey,
} from './links/signing-keys.ts'
import { checkConnectSetup, type SetupContext } from './setup/check-setup.ts'

/** Providers may write late, and some do not send the browser back. */
const waitMs = 120_000

interface ConnectContext extends Pick<PublishingContext, 'clock' | 'database'> {
  offers: OfferContext
  settings: DomainConnectSettings
  secrets: Secrets
  dashboardUrl: URL
  spendCheck: SpendCheck
  /** Verifies a domain as its owner would; undefined when it was removed meanwhile. */
  verify(domain: FoundDomain): Promise<FoundDomain | undefined>
}

const route = routesOf<ConnectContext>({ tag: 'domains', access: 'account' })
const projectRoute = projectRoutesOf<ConnectContext>('domains')

export const connectRoutes = [
  projectRoute('GET /projects/{slug}/domains/{host}/connect', 'getDomainConnect', {
    summary: 'Get whether one click can set the DNS records',
    description:
      'Asks the zone and the DNS provider whether they support Domain Connect. The response of a provider is remembered for up to an hour.',
    needs: 'read',
    scope: 'projects:read',
    returns: schema.DomainConnect,
    errors: ['domain_not_found', 'rate_limited'],
    async handle({ caller, params, project }, context) {
      const domain = await getDomain(context, project, params.host)
      const { offer } = await offerFor(context, caller, domain, project.slug, false)
      const now = context.clock()
      const { open, returned } = await findRecentConnections(context.database.read, domain.id, now)
      return {
        ...showOffer(offer),
        lastReturn: returned ? showReturn(domain, returned) : null,
        open: open && !isSetInDns(domain, open) ? showOpen(open, now) : null,
      }
    },
  }),
  projectRoute('POST /projects/{slug}/domains/{host}/connect', 'startDomainConnect', {
    summary: 'Start setting the DNS records with one click',
    description:
      'Returns the page of the DNS provider that asks for consent. Nothing is changed before the customer has consented there.',
    needs: 'edit',
    scope: 'domains:write',
    status: 201,
    returns: schema.StartedConnection,
    errors: ['domain_not_found', 'connect_unavailable', 'rate_limited'],
    async handle({ caller, origin, params, project }, context) {
      const { dashboardUrl, database, settings } = context
      const domain = await getDomain(context, project, params.host)
      const { key, offer } = await offerFor(context, caller, domain, project.slug, true)
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
        ...{ state, caller, groups, provider: provider.name, origin },
      })
      const expires = timeOrNull(expiresAt) ?? ''
      return { url, expiresAt: expires, provider: provider.name, adds, deletes }
    },
  }),
  route('POST /domain-connections/return', 'finishDomainConnect', {
    summary: 'Finish what was started at a DNS provider',
    description:
      'Once, by the account and the session that started it. The domain is then verified: its state comes from DNS, whatever the provider has reported.',
    scope: 'domains:write',
    body: schema.ConnectReturn,
    returns: schema.FinishedConnection,
    errors: ['link_not_valid', 'rate_limited'],
    async handle(call, context) {
      const { database, spendCheck } = context
      const { body, caller, origin } = call
      const { error = null, errorDescription = '', state } = body
      const reported = readOutcome(error, errorDescription)
      const input = { state, caller, origin, ...reported }
      const finished = await finishConnection(database, input)
      const domain = finished && (await findDomainById(database.read, finished.domainId))
      const project = domain && (await findProjectById(database.read, domain.projectId))
      if (!project) throw notValid()
      // A member may have lost the role meanwhile.
      await getOwnProject(database.read, caller, project.slug, 'edit')
      if (!isJustVerified(domain.state, origin.at)) {
        await spendCheck(caller.account.id, 'domain')
        await context.verify(domain)
      }
      return { project: project.slug, host: domain.host, outcome: finished.outcome }
    },
  }),
] as const

/** What the database of publishing keeps encrypted. */
export const connectKeyColumn: EncryptedColumn = {
  ...{ table: 'connect_keys', column: 'private_key', key: 'label' },
  contextOf: connectKeyContext,
}

type Opened = Pick<PublishingContext, 'clock' | 'database' | 'platformHost'> & {
  /** Absent for the command line on this machine, which is not limited. */
  allowances?: PublishingContext['allowances']
}

export function openDomainConnect(
  config: Config,
  { allowances, clock, database, platformHost }: Opened,
  { network, verify }: Pick<ConnectContext, 'verify'> & { network: DnsNetwork },
) {
  const { dashboardUrl, dnsServers, domainConnect: settings } = config
  const ask = createConnectClient(settings, dnsServers)
  const cache: OfferContext['cache'] = createExpiringMap(clock, maxRemembered)
  const offers = { clock, network, settings, ask, cache, platformHost }
  return {
    /** Part of the management API. */
    routes: bindRoutes(connectRoutes, {
      ...{ clock, database, offers, settings, dashboardUrl, verify },
      secrets: openSecrets(config),
      spendCheck: allowances ? checkAllowance(allowances) : async () => {},
    }),
    upkeep: [deleteExpiredConnections, deleteRetiredKeys],
  }
}

/** One of the checks of the installation. */
export async function checkConnect(
  { clock, config, network, secrets }: Omit<SetupContext, 'read'> & { config: Config },
  publishing: Database | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (!publishing) return []
  const context = { clock, network, read: publishing.read, secrets }
  return await checkConnectSetup(config, context, signal)
}

/** Asks the zone and its provider only where the rest is in order. */
async function offerFor(
  { clock, database: { read }, offers, secrets, settings, spendCheck }: ConnectContext,
  caller: Caller,
  domain: FoundDomain,
  slug: string,
  isFresh: boolean,
): Promise<{ offer: Offer; key: ConnectKey | undefined }> {
  const no = (reason: schema.UnavailableReason) => ({
    offer: { kind: 'unavailable', reason } as Unavailable,
    key: undefined,
  })
  const { template } = settings
  if (!template) return no('not_configured')
  const view = createDomainView(read, clock, offers.platformHost)
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

function showReturn(domain: FoundDomain, last: Connection): schema.DomainConnect['lastReturn'] {
  const { outcome, provider, returnedAt } = last
  const isSet = isSetInDns(domain, last)
  const message = explainReturn(last, isSet)
  return { outcome, provider, isSet, message, at: new Date(returnedAt).toISOString() }
}

function showOpen(
  { provider, startedAt }: Pick<Connection, 'provider' | 'startedAt'>,
  now: number,
): schema.DomainConnect['open'] {
  const isLate = now - startedAt >= waitMs
  const message = explainOpen(provider, isLate)
  return { provider, isLate, message, startedAt: new Date(startedAt).toISOString() }
}

/** Whether DNS has the records that a click was for. */
function isSetInDns({ state }: FoundDomain, { recordGroups }: { recordGroups: string }): boolean {
  const groups = recordGroups.split(',')
  const isPointed = state.dns === 'ok' || !groups.includes('site')
  return isPointed && (state.ownership === 'proven' || !groups.includes('ownership'))
}

function showOffer(offer: Offer): Omit<schema.DomainConnect, 'lastReturn' | 'open'> {
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
    message: explainUnavailable(reason, { detail, name }),
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

interface Facts {
  /** The provider's name, or the host of its settings. */
  name: string
  detail: string | undefined
}

const noResponse = ({ detail, name }: Facts): string =>
  `${name} does not respond as expected now${detail === undefined ? '' : ` (${detail})`}. Create the record yourself, or try again later.`

/**
 * Why a click is not offered. Texts of a provider are never shown, except for its name. None where the owner has no use
 * for it: the provider does not take part, or no click is needed.
 */
const unavailable: Partial<Record<UnavailableReason, (facts: Facts) => string>> = {
  held_by_other: () =>
    'One click is not possible while another account holds or claims this name. Create the TXT record yourself.',
  unreachable: noResponse,
  invalid_settings: ({ name }) =>
    `The settings of ${name} cannot be read, so one click is not possible. Create the record yourself.`,
  left_over: ({ name }) =>
    `The zone has a Domain Connect record of ${name}, but other name servers: it was probably moved. Create the record at the present provider.`,
  manual_only: ({ name }) =>
    `${name} offers no page for one click. Create the record there yourself.`,
  other_site: ({ name }) =>
    `The settings of ${name} refer to a site that does not belong to it, so it is not opened. Create the record yourself.`,
  template_unknown: ({ name }) =>
    `${name} supports one click, but does not know this platform yet. Create the record yourself.`,
  template_old: ({ name }) =>
    `${name} has an earlier version of this platform's template. Create the record yourself.`,
  template_unreachable: noResponse,
}

function explainUnavailable(
  reason: UnavailableReason,
  { detail, name = 'The DNS provider' }: { detail?: string | undefined; name?: string | undefined },
): string | null {
  return unavailable[reason]?.({ detail, name }) ?? null
}

/** The errors of RFC 6749, section 4.1.2.1. */
const errors: Record<string, string> = {
  invalid_request: 'It did not accept the request',
  unauthorized_client: 'It did not accept the signature of this platform',
  access_denied: 'It did not allow the change',
  server_error: 'It had an internal error',
  temporarily_unavailable: 'It is not available now',
}

/** Of a click that has not returned, whose records DNS does not have. */
function explainOpen(provider: string, isLate: boolean): string {
  if (!isLate)
    return `Waiting for the confirmation at ${provider}. Your name servers are checked automatically.`
  return `${provider} has not sent the browser back, and your name servers do not have the records yet. Try again, or create the record yourself.`
}

/** `isSet`: whether DNS has the records by now. */
function explainReturn(
  { error, outcome, provider }: Pick<Connection, 'error' | 'outcome' | 'provider'>,
  isSet: boolean,
): string {
  if (isSet) {
    return outcome === 'done'
      ? `${provider} has set the records.`
      : `${provider} reported that nothing was changed, but the records are there.`
  }
  if (outcome === 'done') {
    return `${provider} reports that the records are set. Your name servers do not have them yet; this can take a few minutes, and they are checked automatically.`
  }
  if (outcome === 'cancelled') {
    return `You cancelled at ${provider}. Nothing was changed in DNS.`
  }
  const what = errors[error ?? ''] ?? 'It reported an error'
  return `${provider} did not set the records. ${what}. Try again, or create the record yourself.`
}
