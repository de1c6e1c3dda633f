// Checks whether the DNS records of removed domains are deleted: when a user requests it, and once a day in the background.
import { transaction } from '../../../platform/accounts/lock-accounts.ts'
import { programOrigin } from '../../../platform/audit/record-audit.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import { findProjectById } from '../../projects/find-project.ts'
import { findClaimsOn } from '../claims/claims-on-host.ts'
import { operators } from '../database/domain-row.ts'
import {
  findRemovedDomain,
  forgetRemovedHost,
  keptWhenDeletedMs,
  nextCheckAt,
  type RemovedDomain,
  removedDomainLeases,
  saveRemovedDomain,
} from '../database/removed-domains.ts'
import { judgeLeftRecords, type LeftRecord, stateOfAll } from '../doctor/judge-left-records.ts'
import { recordEvent } from '../events/record-event.ts'
import { gatherLeftRecords, type LeftRecordsContext } from '../evidence/gather-left-records.ts'
import { readHostname } from '../host-names/hostname.ts'

const day = 24 * 3_600_000
/** When the owner is notified that records are left. */
const notifyAfterMs = 7 * day
/** Of one round in the background. */
const maxDue = 20

export type RemovalChecker = ReturnType<typeof createRemovalChecker>

export function createRemovalChecker({
  database,
  network,
  clock,
  platform,
  signal,
}: Pick<PublishingContext, 'database'> &
  Omit<LeftRecordsContext, 'owner'> & {
    platform: { host: string; addresses: string[] | undefined }
  }) {
  const gathering = { network, clock, ...(signal && { signal }) }

  const running = new Map<string, Promise<RemovedDomain | undefined>>()

  async function run(removed: RemovedDomain): Promise<RemovedDomain | undefined> {
    const { holder, host } = removed
    const { ok: subject } = readHostname(host)
    if (!subject) return removed
    const { proven } = await findClaimsOn(database.read, host, clock())
    // Pointers are of the claim that is proven now.
    const told = removed.records.filter(({ type }) => proven === undefined || type === 'TXT')
    const names = [...new Set(told.map(({ name }) => name))].map((name) => ({
      name,
      isPointer: told.some((record) => record.name === name && record.type !== 'TXT'),
    }))
    const query = { subject, names, platform }
    const facts = await gatherLeftRecords({ ...gathering, owner: holder }, query)
    const records = judgeLeftRecords(told, facts)
    return await recordRemovalCheck(database, { removed, records, at: facts.at })
  }

  /** Undefined when it was added again meanwhile, or another claim has what was to be deleted. One at a time for each. */
  function check(removed: RemovedDomain): Promise<RemovedDomain | undefined> {
    const { domainId } = removed
    const begun = running.get(domainId)
    if (begun) return begun
    const checked = run(removed).finally(() => running.delete(domainId))
    running.set(domainId, checked)
    return checked
  }

  return {
    check,
    /** Checks those that are due. Never rejects because of one of them. */
    async checkDue(): Promise<void> {
      const now = clock()
      if (!(await removedDomainLeases.isDue(database.read, { now }))) return
      const claim = { now, max: maxDue }
      const leases = await database.write(removedDomainLeases.claimTransaction, claim)
      await Promise.allSettled(
        leases.map(async ({ host, project_id: projectId }) => {
          const removed = await findRemovedDomain(database.read, { projectId, host })
          if (removed) await check(removed)
        }),
      )
    },
  }
}

/** Undefined when it was added again, or removed again, since the check began. */
const recordRemovalCheck = transaction(
  async (
    session,
    { at, records, removed }: { removed: RemovedDomain; records: LeftRecord[]; at: number },
  ): Promise<RemovedDomain | undefined> => {
    const known = await findRemovedDomain(session, removed)
    if (known?.removedAt !== removed.removedAt) return undefined
    if ((known.checkedAt ?? 0) > at) return known
    if (records.length === 0) {
      await forgetRemovedHost(session, known)
      return undefined
    }
    const [before, state] = [stateOfAll(known.records), stateOfAll(records)]
    const isLate = at - known.removedAt >= notifyAfterMs
    const isNotified = known.notifiedAt !== null
    const after: RemovedDomain = {
      ...known,
      ...{ records, checkedAt: at },
      dueAt: state === 'deleted' ? null : nextCheckAt(at),
      keptUntil:
        state === 'deleted' ? Math.min(known.keptUntil, at + keptWhenDeletedMs) : known.keptUntil,
      notifiedAt: state === 'present' && isLate && !isNotified ? at : known.notifiedAt,
    }
    await saveRemovedDomain(session, after)
    const project = await findProjectById(session, known.projectId)
    const { domainId: id, host, projectId } = known
    const subject = { id, host, projectId, holder: project?.ownerId ?? operators }
    const origin = programOrigin(at)
    if (state === 'deleted' && before !== 'deleted') {
      const change = { type: 'records_deleted', detail: {}, isNotice: false, origin } as const
      await recordEvent(session, subject, change)
    }
    if (after.notifiedAt !== known.notifiedAt) {
      const left = records.filter((record) => record.state === 'present')
      const detail = { records: left.map(({ name, type, value }) => ({ name, type, value })) }
      await recordEvent(session, subject, { type: 'records_left', detail, isNotice: true, origin })
    }
    return after
  },
)
