// A domain as the database keeps it.
import type { DomainState } from './next.ts'

export const operators = 'operators'

export interface FoundDomain {
  id: string
  host: string
  projectId: string
  /** The account that owns the project, or `operators` for what they have in common. */
  holder: string
  proof: string
  addedAt: number
  wantedAt: number
  version: number
  state: DomainState
}

export const domainColumns = [
  'domains.id as id',
  'domains.host as host',
  'domains.project_id as project_id',
  'domains.holder as holder',
  'domains.proof as proof',
  'domains.added_at as added_at',
  'domains.wanted_at as wanted_at',
  'domains.version as version',
  'domains.ownership as ownership',
  'domains.proven_by as proven_by',
  'domains.proven_at as proven_at',
  'domains.dns as dns',
  'domains.pointed_when_added as pointed_when_added',
  'domains.checked_at as checked_at',
  'domains.failing_since as failing_since',
  'domains.partial_since as partial_since',
] as const

export interface DomainRow {
  id: string
  host: string
  project_id: string
  holder: string
  proof: string
  added_at: bigint
  wanted_at: bigint
  version: bigint
  ownership: string
  proven_by: string | null
  proven_at: bigint | null
  dns: string
  pointed_when_added: bigint | null
  checked_at: bigint | null
  failing_since: bigint | null
  partial_since: bigint | null
}

export function domainOf(row: DomainRow): FoundDomain {
  return {
    id: row.id,
    host: row.host,
    projectId: row.project_id,
    holder: row.holder,
    proof: row.proof,
    addedAt: Number(row.added_at),
    wantedAt: Number(row.wanted_at),
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
    },
  }
}

function moment(at: bigint | null): number | null {
  return at === null ? null : Number(at)
}
