// The one place that writes the state of a domain: only over the version that it was made from.
import { findOne, type Session } from '../../platform/database/database.ts'
import { changePublished } from '../state.ts'
import { define } from '../tables.ts'
import type { FoundDomain } from './domain-row.ts'
import { type DomainEvent, next } from './next.ts'

const save = define<{
  id: string
  version: number
  ownership: string
  provenBy: string | null
  provenAt: number | null
  dns: string
  pointedWhenAdded: number | null
  checkedAt: number | null
  failingSince: number | null
  partialSince: number | null
}>()((db, param) =>
  db
    .updateTable('domains')
    .set((eb) => ({
      version: eb('version', '+', 1n),
      ownership: param('ownership'),
      proven_by: param('provenBy'),
      proven_at: param('provenAt') as never,
      dns: param('dns'),
      pointed_when_added: param('pointedWhenAdded') as never,
      checked_at: param('checkedAt') as never,
      failing_since: param('failingSince') as never,
      partial_since: param('partialSince') as never,
    }))
    .where('id', '=', param('id'))
    .where('version', '=', param('version') as never)
    .returning('id'),
)

/**
 * Lets an event happen to a domain, inside a write that has the lock. Gives it as it is then. Throws when
 * the domain is not as it was read: within the lock that cannot be.
 */
export async function applyEvent(
  session: Session,
  domain: FoundDomain,
  event: DomainEvent,
): Promise<FoundDomain> {
  const { id, version } = domain
  const state = next(domain.state, event)
  const { pointedWhenAdded } = state
  const saved = await findOne(session, save, {
    ...state,
    id,
    version,
    pointedWhenAdded: pointedWhenAdded === null ? null : Number(pointedWhenAdded),
  })
  if (!saved) throw new Error(`domain ${id} changed outside of the lock`)
  // Who is served a host is what everything remembered of sites depends on.
  const isServed = (ownership: string) => ownership === 'proven'
  if (isServed(state.ownership) !== isServed(domain.state.ownership)) await changePublished(session)
  return { ...domain, version: version + 1, state }
}
