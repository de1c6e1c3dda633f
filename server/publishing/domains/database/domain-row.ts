// A domain as the database keeps it.
import type { LastNotified } from '../events/diff-to-events.ts'
import type { CertificateFacts } from '../evidence/evidence.ts'
import type { DomainState } from '../state/domain-state.ts'

export const operators = 'operators'
/** Holds the hosts that are the program's own (edge/own-hosts.ts). They belong to no project. */
export const platformHolder = 'platform'

export interface FoundDomain {
  id: string
  host: string
  projectId: string
  /** The account that owns the project, or `operators` for what they have in common. */
  holder: string
  verificationToken: string
  addedAt: number
  version: number
  state: DomainState
  /** What visitors get. */
  role: 'primary' | 'alias' | 'redirect'
  redirect: { to: string; status: RedirectStatus } | undefined
  /** The last answer by which the authority did not issue. */
  problem: CertificateFacts['problem']
  /** What was last told of it (events/changes-to-tell.ts). */
  lastNotified: LastNotified
}

export const redirectStatuses = [301, 302, 307, 308] as const
export type RedirectStatus = (typeof redirectStatuses)[number]

export const domainColumns = [
  'domains.id as id',
  'domains.host as host',
  'domains.project_id as project_id',
  'domains.holder as holder',
  'domains.verification_token as verification_token',
  'domains.added_at as added_at',
  'domains.verification_requested_at as verification_requested_at',
  'domains.version as version',
  'domains.ownership as ownership',
  'domains.proven_by as proven_by',
  'domains.proven_at as proven_at',
  'domains.dns as dns',
  'domains.pointed_when_added as pointed_when_added',
  'domains.checked_at as checked_at',
  'domains.failing_since as failing_since',
  'domains.partial_since as partial_since',
  'domains.serving as serving',
  'domains.certificate as certificate',
  'domains.certificate_since as certificate_since',
  'domains.attempt as attempt',
  'domains.blocked_by as blocked_by',
  'domains.problem as problem',
  'domains.failures as failures',
  'domains.expires_at as expires_at',
  'domains.renew_at as renew_at',
  'domains.paused_at as paused_at',
  'domains.check_at as check_at',
  'domains.issue_at as issue_at',
  'domains.role as role',
  'domains.redirect_to as redirect_to',
  'domains.redirect_status as redirect_status',
  'domains.last_notified as last_notified',
] as const

export interface DomainRow {
  id: string
  host: string
  project_id: string
  holder: string
  verification_token: string
  added_at: bigint
  verification_requested_at: bigint
  version: bigint
  ownership: string
  proven_by: string | null
  proven_at: bigint | null
  dns: string
  pointed_when_added: bigint | null
  checked_at: bigint | null
  failing_since: bigint | null
  partial_since: bigint | null
  serving: string
  certificate: string
  certificate_since: bigint | null
  attempt: string | null
  blocked_by: string | null
  problem: string | null
  failures: bigint
  expires_at: bigint | null
  renew_at: bigint | null
  paused_at: bigint | null
  check_at: bigint | null
  issue_at: bigint | null
  role: string
  redirect_to: string | null
  redirect_status: bigint | null
  last_notified: string | null
}

export function domainOf(row: DomainRow): FoundDomain {
  return {
    id: row.id,
    host: row.host,
    projectId: row.project_id,
    holder: row.holder,
    verificationToken: row.verification_token,
    addedAt: Number(row.added_at),
    version: Number(row.version),
    state: {
      ownership: row.ownership as DomainState['ownership'],
      provenBy: row.proven_by as DomainState['provenBy'],
      provenAt: moment(row.proven_at),
      dns: row.dns as DomainState['dns'],
      pointedWhenAdded: row.pointed_when_added === null ? null : row.pointed_when_added === 1n,
      checkedAt: moment(row.checked_at),
      failingSince: moment(row.failing_since),
      partialSince: moment(row.partial_since),
      verificationRequestedAt: Number(row.verification_requested_at),
      pausedAt: moment(row.paused_at),
      certificate: row.certificate as DomainState['certificate'],
      certificateSince: moment(row.certificate_since),
      attempt: row.attempt === null ? null : JSON.parse(row.attempt),
      blockedBy: row.blocked_by,
      failures: Number(row.failures),
      expiresAt: moment(row.expires_at),
      renewAt: moment(row.renew_at),
      serving: row.serving as DomainState['serving'],
      checkAt: moment(row.check_at),
      issueAt: moment(row.issue_at),
    },
    role: row.role as FoundDomain['role'],
    redirect:
      row.redirect_to === null
        ? undefined
        : { to: row.redirect_to, status: Number(row.redirect_status) as RedirectStatus },
    problem: row.problem === null ? undefined : JSON.parse(row.problem),
    lastNotified: row.last_notified as LastNotified,
  }
}

function moment(at: bigint | null): number | null {
  return at === null ? null : Number(at)
}
