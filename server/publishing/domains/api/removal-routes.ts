// Routes of removed domains: find project and domain for the caller, call, reply.
import { timeOrNull } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/management/caller.ts'
import { type Route, route } from '../../../platform/management/route.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import { getOwnProject } from '../../projects/routes.ts'
import type { SpendCheck } from '../checks/check-allowance.ts'
import type { RemovalChecker } from '../checks/removal-checker.ts'
import {
  dismissRemovedDomain,
  findRemovedDomain,
  listRemovedDomains,
  type RemovedDomain,
} from '../database/removed-domains.ts'
import { stateOfAll } from '../doctor/judge-left-records.ts'
import { type PlatformHosts, readHostname } from '../host-names/hostname.ts'
import { minRecheckMs, nameOfHost } from './domain-response.ts'
import { operations } from './removal-operations.ts'
import type { DomainRemoval } from './removal-schema.ts'

export function removalRoutes(
  { clock, database }: Pick<PublishingContext, 'clock' | 'database'>,
  { check }: RemovalChecker,
  own: PlatformHosts,
  spendCheck: SpendCheck,
): Route[] {
  const { read } = database

  async function getOwnRemoval(
    caller: Caller,
    { host, slug }: { host: string; slug: string },
  ): Promise<RemovedDomain> {
    const project = await getOwnProject(read, caller, slug, 'edit')
    const { ok: name } = readHostname(host, own)
    const key = name && { projectId: project.id, host: name.host }
    const removed = key && (await findRemovedDomain(read, key))
    if (!removed) throw removalNotFound()
    return removed
  }

  return [
    route(operations.listRemovedDomains, async ({ caller, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      return { items: (await listRemovedDomains(read, project.id)).map(showRemoval) }
    }),
    route(operations.verifyRemovedDomain, async ({ caller, params }) => {
      const removed = await getOwnRemoval(caller, params)
      const sinceMs = clock() - (removed.checkedAt ?? 0)
      if (sinceMs >= 0 && sinceMs < minRecheckMs) return showRemoval(removed)
      await spendCheck(caller.account.id, 'domain')
      const checked = await check(removed)
      if (!checked) throw removalNotFound()
      return showRemoval(checked)
    }),
    route(operations.dismissRemovedDomain, async ({ caller, params }) => {
      await dismissRemovedDomain(database, await getOwnRemoval(caller, params))
      return undefined
    }),
  ]
}

function showRemoval({ checkedAt, host, records, removedAt }: RemovedDomain): DomainRemoval {
  return {
    host,
    unicodeHost: nameOfHost(host).unicodeHost,
    removedAt: new Date(removedAt).toISOString(),
    state: stateOfAll(records),
    records,
    checkedAt: timeOrNull(checkedAt),
    nextVerifyAt: timeOrNull(checkedAt && checkedAt + minRecheckMs),
  }
}

function removalNotFound(): AppError {
  const message = 'The project has no such removed domain with DNS records to delete.'
  return new AppError('domain_not_found', message)
}
