// Routes of custom domains: find project and domain for the caller, call, reply.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import type { Caller } from '#kit/management/caller.ts'
import { type Route, route } from '#kit/management/route.ts'
import { invalid } from '#kit/schema/checks.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import type { FoundProject } from '#publishing/projects/find-project.ts'
import type { ProjectPermission } from '#publishing/projects/project-roles.ts'
import { getOwnProject } from '#publishing/projects/routes.ts'
import type { SpendCheck } from '../checks/check-allowance.ts'
import { checkJson } from '../checks/check-result.ts'
import type { CheckRunner } from '../checks/check-runner.ts'
import { addDomain } from '../claims/add-domain.ts'
import { tombstoneMs } from '../claims/claims-on-host.ts'
import { findMissingPreconditions } from '../claims/preconditions.ts'
import { setPreparation } from '../claims/prepare-domain.ts'
import { removeDomain } from '../claims/remove-domain.ts'
import {
  type Configuration,
  configurationOf,
  setConfiguration,
  tagOf,
} from '../configuration/configure-domains.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import {
  findDomainInProject,
  findLastEvidence,
  listDomainDetails,
  listDomains,
  listDomainsOfAccount,
  listDomainsOfOwner,
} from '../database/find-domains.ts'
import { readPlan } from '../doctor/read-plan.ts'
import { readEvidence } from '../doctor/reading.ts'
import {
  type Hostname,
  type PlatformHosts,
  readHostname,
  wwwPairOf,
} from '../host-names/hostname.ts'
import { describeSwitch } from '../switching/describe-switch.ts'
import type { SwitchRunner } from '../switching/switch-runner.ts'
import {
  createDomainView,
  isJustVerified,
  nameOfHost,
  noDetails,
  showDomain,
} from './domain-response.ts'
import { hostOperations, operations } from './operations.ts'
import type {
  Domain,
  DomainChange,
  ListDomainsQuery,
  NewDomain,
  NewDomainCheck,
  ReadHostRateLimits,
  VerifyRemoval,
} from './schema.ts'

export function domainRoutes(
  { clock, database }: Pick<PublishingContext, 'clock' | 'database'>,
  checks: CheckRunner,
  own: PlatformHosts,
  verifyRemoval: VerifyRemoval,
  spendCheck: SpendCheck,
  switches: SwitchRunner,
  readHostRateLimits?: ReadHostRateLimits,
): Route[] {
  const { read } = database
  const { platformHost } = own

  const view = createDomainView(read, clock, platformHost, readHostRateLimits)
  const show = (domain: FoundDomain, { slug }: FoundProject): Promise<Domain> => view(domain, slug)

  async function getOwnDomain(
    caller: Caller,
    { host, slug }: { host: string; slug: string },
    permission: ProjectPermission,
  ) {
    const project = await getOwnProject(read, caller, slug, permission)
    const { ok: name } = readHostname(host, own)
    const domain = name && (await findDomainInProject(read, project.id, name.host))
    if (!domain) throw domainNotFound()
    return { project, domain }
  }

  return [
    route(operations.listDomains, async ({ caller, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      const details = await listDomainDetails(read, project.id)
      const found = await listDomains(read, project.id)
      const shared = { now: clock(), project: project.slug, platformHost }
      const items = found.map((domain) =>
        showDomain(domain, details.get(domain.id) ?? noDetails, shared),
      )
      return { items, missing: await findMissingPreconditions(read, project) }
    }),
    route(operations.addDomain, async (call) => {
      const { body, caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const { host, prepare: isPrepared = false } = body as NewDomain
      const name = readHost(host, own)
      await spendCheck(caller.account.id, 'domain')
      const origin = originOf(call, clock())
      const input = { projectId: project.id, host: name.host, isPrepared, origin }
      const added = await addDomain(database, input)
      if (!added) throw new AppError('project_not_found', 'The project has been deleted.')
      // The domain is added even if the check fails.
      const checked = await checks.check(added, name, false).catch(() => added)
      return await show(checked ?? added, project)
    }),
    route(operations.getDomain, async ({ caller, params }) => {
      const { domain, project } = await getOwnDomain(caller, params, 'read')
      return await show(domain, project)
    }),
    route(operations.changeDomain, async (call) => {
      const { domain, project } = await getOwnDomain(call.caller, call.params, 'edit')
      const { prepare: isRequested } = call.body as DomainChange
      await spendCheck(call.caller.account.id, 'domain')
      const { host, id } = domain
      const change = { id, isRequested, origin: originOf(call, clock()) }
      const changed = await setPreparation(database, change)
      if (!changed) throw domainNotFound()
      // It is changed even if the check fails.
      const checked = await checks.check(changed, nameOfHost(host), false).catch(() => changed)
      if (!checked) throw domainNotFound()
      return await show(checked, project)
    }),
    route(operations.verifyDomain, async ({ caller, params }) => {
      const { domain, project } = await getOwnDomain(caller, params, 'edit')
      if (isJustVerified(domain.state, clock())) return await show(domain, project)
      await spendCheck(caller.account.id, 'domain')
      const checked = await checks.check(domain, nameOfHost(domain.host), true)
      if (!checked) throw domainNotFound()
      return await show(checked, project)
    }),
    route(operations.getDomainEvidence, async ({ caller, params }) => {
      const { domain } = await getOwnDomain(caller, params, 'read')
      const evidence = await findLastEvidence(read, domain.id)
      if (evidence === undefined) {
        const message = 'It has not been checked yet. Verify it first.'
        throw new AppError('domain_not_found', message)
      }
      return JSON.parse(evidence)
    }),
    route(operations.getDomainSwitch, async ({ caller, params }) => {
      const { domain, project } = await getOwnDomain(caller, params, 'read')
      return await describeSwitch({ read, clock, switches }, domain, await show(domain, project))
    }),
    route(operations.removeDomain, async (call) => {
      const { domain } = await getOwnDomain(call.caller, call.params, 'edit')
      const now = clock()
      const since = performance.now()
      const { host, id } = domain
      const removed = await removeDomain(database, { id, origin: originOf(call, now) })
      if (!removed) throw domainNotFound()
      const { authorizations, endedRedirects, records, version } = removed
      const wasProven = removed.domain.state.ownership === 'proven'
      return {
        host,
        records,
        authorizations,
        heldUntil: wasProven ? new Date(now + tombstoneMs).toISOString() : null,
        wasPrimary: removed.domain.role === 'primary',
        endedRedirects,
        offline: version === undefined ? null : await verifyRemoval({ host, version }, since),
      }
    }),
    route(operations.getDomainConfiguration, async ({ caller, headers, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      const configuration = configurationOf(await listDomains(read, project.id))
      headers.push('ETag', `"${tagOf(configuration)}"`)
      return configuration
    }),
    route(operations.setDomainConfiguration, async (call) => {
      const { body, caller, headers, params, request } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const saved = await setConfiguration(database, {
        projectId: project.id,
        configuration: withPlainHosts(body as Configuration),
        conditions: request.head,
        origin: originOf(call, clock()),
      })
      headers.push('ETag', `"${tagOf(saved)}"`)
      return saved
    }),
    route(hostOperations.listAllDomains, async ({ caller, query }) => {
      const { after = '', limit, owner } = query as ListDomainsQuery
      const { id: own, role } = caller.account
      const [host = '', id = ''] = after.split(' ')
      const page = { host, id, max: limit + 1 }
      const found =
        role === 'operator'
          ? await listDomainsOfOwner(read, owner, page)
          : await listDomainsOfAccount(read, own, page)
      const items = found.slice(0, limit)
      const last = found.length > limit ? items.at(-1) : undefined
      return {
        items: items.map(({ host, name, serving, slug }) => ({
          ...{ host, unicodeHost: nameOfHost(host).unicodeHost, serving },
          project: { slug, name },
        })),
        next: last ? `${last.host} ${last.id}` : null,
      }
    }),
    route(hostOperations.readHostname, async ({ body }) => {
      const name = readHost((body as { host: string }).host, own)
      return { ...name, pair: wwwPairOf(name) ?? null }
    }),
    route(hostOperations.checkDomain, async ({ body, caller }) => {
      const { host, planned } = body as NewDomainCheck
      const name = readHost(host, own)
      const plan = planned === undefined ? undefined : readPlan(planned, name.registrableDomain)
      if (plan && plan.problems.length > 0) {
        const problems = plan.problems.map((message) => ({ path: 'planned', message }))
        throw invalid('invalid_body', problems)
      }
      await spendCheck(caller.account.id, 'host')
      const { evidence, judged } = await checks.look(name, caller.account.id, plan)
      const { unicodeHost } = name
      const hasOtherSite = evidence.probes.some(({ outcome }) => outcome.kind === 'other')
      return {
        host: name.host,
        unicodeHost,
        hasOtherSite,
        ...checkJson(judged, readEvidence(evidence)),
      }
    }),
  ]
}

/** Normalises typed hosts to the stored form. */
function withPlainHosts({ primary, redirects }: Configuration): Configuration {
  const plain = (text: string): string => readHostname(text).ok?.host ?? text.trim()
  return {
    primary: primary === null ? null : plain(primary),
    redirects: redirects.map(({ from, status, to }) => {
      return { from: plain(from), to: plain(to), status }
    }),
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
