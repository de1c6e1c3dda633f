// The operations on custom domains: find project and domain for the caller, call, respond.

import { type Hostname, type PlatformHosts, readHostname, wwwPairOf } from '#doctor/hostname.ts'
import { readPlan } from '#doctor/plan-records.ts'
import { hasOtherSite } from '#doctor/reading.ts'
import { AppError } from '#kit/errors.ts'
import { routesOf } from '#kit/management/route.ts'
import { invalid } from '#kit/schema/checks.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { throwDeleted } from '#publishing/projects/find-project.ts'
import { projectRoutesOf } from '#publishing/projects/routes.ts'
import { checkJson } from '../checks/check-result.ts'
import type { CheckRunner, SpendCheck } from '../checks/check-runner.ts'
import { DomainCheck, EvidenceBundle } from '../checks/check-schema.ts'
import { describeSwitch } from '../checks/describe-switch.ts'
import type { SwitchRunner } from '../checks/switch-runner.ts'
import { DomainSwitch } from '../checks/switch-schema.ts'
import { addDomain, findMissingPreconditions, setPreparation } from '../claims/add-domain.ts'
import { tombstoneMs } from '../claims/claims-on-host.ts'
import { configurationOf, setConfiguration, tagOf } from '../claims/configure-domains.ts'
import type { Configuration } from '../claims/domain-configuration.ts'
import { removeDomain } from '../claims/remove-domain.ts'
import {
  findDomainInProject,
  findLastEvidence,
  listDomainDetails,
  listDomainPage,
  listDomains,
} from '../database/find-domains.ts'
import type { VerifyRemoval } from '../edge/removal/node-presence.ts'
import { type DomainView, isJustVerified, nameOfHost, showDomain } from './domain-response.ts'
import * as schema from './schema.ts'

interface DomainsContext extends Pick<PublishingContext, 'clock' | 'database'> {
  checks: CheckRunner
  own: PlatformHosts
  /** Tests that a removed host is offline on every node. */
  verifyRemoval: VerifyRemoval
  spendCheck: SpendCheck
  switches: SwitchRunner
  view: DomainView
}

const forProjects = projectRoutesOf<DomainsContext>('domains')
const forHosts = routesOf<DomainsContext>({ tag: 'domains', access: 'account' })

export const domainRoutes = [
  forProjects('GET /projects/{slug}/domains', 'listDomains', {
    summary: 'List the custom domains of a project',
    description: 'Also lists the unmet preconditions for adding one.',
    needs: 'read',
    scope: 'projects:read',
    returns: schema.Domains,
    async handle({ project }, { clock, database, own }) {
      const details = await listDomainDetails(database.read, project.id)
      const domains = await listDomains(database.read, project.id)
      const shared = { now: clock(), project: project.slug, platformHost: own.platformHost }
      const items = domains.map((domain) => showDomain(domain, details.get(domain.id), shared))
      return { items, missing: await findMissingPreconditions(database.read, project) }
    },
  }),
  forProjects('POST /projects/{slug}/domains', 'addDomain', {
    summary: 'Add a custom domain',
    description: 'It is checked immediately; the response contains the DNS record to create.',
    needs: 'edit',
    scope: 'domains:write',
    body: schema.NewDomain,
    status: 201,
    returns: schema.Domain,
    errors: ['plan_required', 'deploy_required', 'domain_taken', 'limit_reached', 'rate_limited'],
    async handle({ body, caller, origin, project }, context) {
      const { checks, database, own, spendCheck, view } = context
      const { host, prepare: isPrepared = false } = body
      const name = readHost(host, own)
      await spendCheck(caller.account.id, 'domain')
      const input = { projectId: project.id, host: name.host, isPrepared, origin }
      const added = await addDomain(database, input)
      if (!added) throwDeleted()
      // The domain is added even if the check fails.
      const checked = await checks.check(added, name, false).catch(() => added)
      return await view(checked ?? added, project.slug)
    },
  }),
  forProjects('GET /projects/{slug}/domains/{host}', 'getDomain', {
    summary: 'Get a custom domain',
    needs: 'read',
    scope: 'projects:read',
    returns: schema.Domain,
    errors: ['domain_not_found'],
    async handle({ params, project }, context) {
      const domain = await getDomain(context, project, params.host)
      return await context.view(domain, project.slug)
    },
  }),
  forProjects('PATCH /projects/{slug}/domains/{host}', 'changeDomain', {
    summary: 'Prepare a certificate before DNS is switched',
    description:
      'Or cancel that. It is checked immediately; the response contains the TXT records to set. A domain that serves a site elsewhere moves without a moment without HTTPS.',
    needs: 'edit',
    scope: 'domains:write',
    body: schema.DomainChange,
    returns: schema.Domain,
    errors: ['domain_not_found', 'rate_limited'],
    async handle({ body, caller, origin, params, project }, context) {
      const { checks, database, spendCheck, view } = context
      const domain = await getDomain(context, project, params.host)
      await spendCheck(caller.account.id, 'domain')
      const { host, id } = domain
      const changed = await setPreparation(database, { id, isRequested: body.prepare, origin })
      if (!changed) throw domainNotFound()
      // It is changed even if the check fails.
      const checked = await checks.check(changed, nameOfHost(host), false).catch(() => changed)
      if (!checked) throw domainNotFound()
      return await view(checked, project.slug)
    },
  }),
  forProjects('POST /projects/{slug}/domains/{host}/verify', 'verifyDomain', {
    summary: 'Verify a custom domain now',
    description: 'Within 10 seconds of the last check, its result is returned.',
    needs: 'edit',
    scope: 'domains:write',
    returns: schema.Domain,
    errors: ['domain_not_found', 'rate_limited'],
    async handle({ caller, params, project }, context) {
      const { checks, clock, spendCheck, view } = context
      const domain = await getDomain(context, project, params.host)
      if (isJustVerified(domain.state, clock())) return await view(domain, project.slug)
      await spendCheck(caller.account.id, 'domain')
      const checked = await checks.check(domain, nameOfHost(domain.host), true)
      if (!checked) throw domainNotFound()
      return await view(checked, project.slug)
    },
  }),
  forProjects('GET /projects/{slug}/domains/{host}/evidence', 'getDomainEvidence', {
    summary: 'Get the evidence of the last check',
    description: 'Raw answers of every name server, for the support of a DNS provider.',
    needs: 'read',
    scope: 'projects:read',
    returns: EvidenceBundle,
    errors: ['domain_not_found'],
    async handle({ params, project }, context) {
      const { database } = context
      const domain = await getDomain(context, project, params.host)
      const evidence = await findLastEvidence(database.read, domain.id)
      if (evidence === undefined)
        throw new AppError('domain_not_found', 'It has not been checked yet. Verify it first.')
      return JSON.parse(evidence)
    },
  }),
  forProjects('GET /projects/{slug}/domains/{host}/switch', 'getDomainSwitch', {
    summary: 'Check whether a live domain can be switched to us',
    description:
      'Requests the host from our own addresses, as visitors will after the switch, and judges DNS as it will be then. For at most 5 seconds the result of the request before is returned.',
    needs: 'read',
    scope: 'projects:read',
    returns: DomainSwitch,
    errors: ['domain_not_found', 'rate_limited'],
    async handle({ params, project }, context) {
      const { clock, database, switches, view } = context
      const domain = await getDomain(context, project, params.host)
      const shown = await view(domain, project.slug)
      return await describeSwitch({ read: database.read, clock, switches }, domain, shown)
    },
  }),
  forProjects('DELETE /projects/{slug}/domains/{host}', 'removeDomain', {
    summary: 'Remove a custom domain',
    description: 'Takes effect immediately. The response lists the DNS records to delete.',
    needs: 'edit',
    scope: 'domains:write',
    returns: schema.RemovedDomain,
    errors: ['domain_not_found'],
    async handle({ origin, params, project }, context) {
      const { database, verifyRemoval } = context
      const domain = await getDomain(context, project, params.host)
      const since = performance.now()
      const { host, id } = domain
      const removed = await removeDomain(database, { id, origin })
      if (!removed) throw domainNotFound()
      const { authorizations, endedRedirects, records, version } = removed
      const wasProven = removed.domain.state.ownership === 'proven'
      return {
        host,
        records,
        authorizations,
        heldUntil: wasProven ? new Date(origin.at + tombstoneMs).toISOString() : null,
        wasPrimary: removed.domain.role === 'primary',
        endedRedirects,
        offline: version === undefined ? null : await verifyRemoval({ host, version }, since),
      }
    },
  }),
  forProjects('GET /projects/{slug}/domain-configuration', 'getDomainConfiguration', {
    summary: 'Get the primary domain and the redirects',
    description: 'With an ETag.',
    needs: 'read',
    scope: 'projects:read',
    returns: schema.DomainConfiguration,
    async handle({ headers, project }, { database }) {
      const configuration = configurationOf(await listDomains(database.read, project.id))
      headers.push('ETag', `"${tagOf(configuration)}"`)
      return configuration
    },
  }),
  forProjects('PUT /projects/{slug}/domain-configuration', 'setDomainConfiguration', {
    summary: 'Set the primary domain and the redirects',
    description:
      'Replaces the whole configuration; with If-Match, only if it still has that ETag. Refused are hosts that the project does not have, redirects of the primary, and redirects to a domain that redirects itself.',
    needs: 'edit',
    scope: 'domains:write',
    body: schema.DomainConfiguration,
    returns: schema.DomainConfiguration,
    errors: ['precondition_failed'],
    async handle({ body, headers, origin, project, request }, { database }) {
      const saved = await setConfiguration(database, {
        projectId: project.id,
        configuration: withPlainHosts(body),
        conditions: request.head,
        origin,
      })
      headers.push('ETag', `"${tagOf(saved)}"`)
      return saved
    },
  }),
  forHosts('GET /domains', 'listAllDomains', {
    summary: 'List the custom domains of all projects',
    description: 'Members see those of their own projects, operators see all.',
    scope: 'projects:read',
    query: schema.ListDomainsQuery,
    returns: schema.DomainsOfProjects,
    async handle({ caller, query }, { database }) {
      const { after = '', limit, owner } = query
      const { id: self, role } = caller.account
      const [host = '', id = ''] = after.split(' ')
      const isOperator = role === 'operator'
      const account = isOperator ? (owner ?? '') : self
      const of = !isOperator ? 'ofMember' : owner === undefined ? 'ofAll' : 'ofOwner'
      const page = { account, host, id, max: limit + 1 }
      const listed = await listDomainPage(database.read, of, page)
      const items = listed.slice(0, limit)
      const last = listed.length > limit ? items.at(-1) : undefined
      return {
        items: items.map(({ host, name, serving, slug }) => ({
          ...{ host, unicodeHost: nameOfHost(host).unicodeHost, serving },
          project: { slug, name },
        })),
        next: last ? `${last.host} ${last.id}` : null,
      }
    },
  }),
  forHosts('POST /hostnames', 'readHostname', {
    summary: 'Read user input as a host name',
    description:
      'Sends no DNS query and stores nothing. Input that cannot be added is refused with the reason.',
    scope: 'projects:read',
    body: schema.TypedHostname,
    returns: schema.Hostname,
    async handle({ body }, { own }) {
      const name = readHost(body.host, own)
      return { ...name, pair: wwwPairOf(name) ?? null }
    },
  }),
  forHosts('POST /domain-checks', 'checkDomain', {
    summary: 'Check a host without adding it',
    description: 'With its current records, or with planned ones.',
    scope: 'projects:read',
    body: schema.NewDomainCheck,
    returns: DomainCheck,
    errors: ['rate_limited'],
    async handle({ body, caller }, { checks, own, spendCheck }) {
      const { host, planned } = body
      const name = readHost(host, own)
      const plan = planned === undefined ? undefined : readPlan(planned, name.registrableDomain)
      if (plan && plan.problems.length > 0) {
        const problems = plan.problems.map((message) => ({ path: 'planned', message }))
        throw invalid('invalid_body', problems)
      }
      await spendCheck(caller.account.id, 'host')
      const { judged } = await checks.look(name, caller.account.id, plan)
      return {
        host: name.host,
        unicodeHost: name.unicodeHost,
        hasOtherSite: hasOtherSite(judged.reading),
        ...checkJson(judged),
      }
    },
  }),
] as const

/** Throws `domain_not_found`. */
export async function getDomain(
  { database }: Pick<DomainsContext, 'database'>,
  project: { id: string },
  host: string,
) {
  const { ok: name } = readHostname(host)
  const domain = name && (await findDomainInProject(database.read, project.id, name.host))
  if (!domain) throw domainNotFound()
  return domain
}

/** Normalises typed hosts to the stored form. */
function withPlainHosts({ primary, redirects }: Configuration): Configuration {
  const plain = (text: string): string => readHostname(text).ok?.host ?? text.trim()
  return {
    primary: primary === null ? null : plain(primary),
    redirects: redirects.map(({ from, status, to }) => ({
      from: plain(from),
      to: plain(to),
      status,
    })),
  }
}

/** Throws `invalid_body` with the reason and the fix. */
function readHost(text: string, own: PlatformHosts): Hostname {
  const { ok, refused } = readHostname(text, own)
  if (ok) return ok
  throw invalid('invalid_body', [{ path: 'host', message: refused }])
}

function domainNotFound(): AppError {
  return new AppError('domain_not_found', 'The project has no such domain.')
}
