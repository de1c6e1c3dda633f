// The only place that writes the state of a domain. An update applies only to the version it was computed from.
import { programOrigin } from '#kit/audit/record-audit.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { assignments } from '#kit/database/plain-row.ts'
import { changePublished, withdrawHost } from '#publishing/database/publishing-state.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { diffToEvents } from '../state/diff-to-events.ts'
import { type DomainEvent, type DomainState, dueAt } from '../state/domain-state.ts'
import { transition } from '../state/transition.ts'
import { abandonOrder, releaseAuthorizations } from './challenges.ts'
import {
  type FoundDomain,
  platformHolder,
  type StateParams,
  stateColumns,
  stateParams,
} from './domain-row.ts'
import { recordEvent } from './record-event.ts'

type Saved = StateParams &
  Pick<FoundDomain, 'id' | 'version' | 'lastNotified'> & { dueAt: number | null }

const save = prepareQuery<Saved>()((db, param) =>
  db
    .updateTable('domains')
    .set((eb) => ({
      ...assignments([...stateColumns, 'due_at', 'last_notified'], param),
      version: eb('version', '+', 1n),
    }))
    .where('id', '=', param('id'))
    .where('version', '=', param('version'))
    .returning('id'),
)

/**
 * Applies an event to a domain, inside a write that has the lock, and returns the changed domain. Throws when
 * the stored version differs from the one read, which is impossible under the lock.
 */
export async function applyEvent(
  session: Session,
  domain: FoundDomain,
  event: DomainEvent,
): Promise<FoundDomain> {
  const { id, state: before, version } = domain
  const state = transition(before, event)
  const { changes, lastNotified } = diffToEvents({ ...domain, before, after: state, event })
  const params = { id, version, dueAt: dueAt(state), lastNotified }
  const saved = await findOne(session, save, { ...stateParams(state), ...params })
  if (!saved) throw new Error(`domain ${id} changed outside of the lock`)
  const isCachedChanged = cachedFields.some((field) => before[field] !== state[field])
  if (isCachedChanged) await changePublished(session)
  if (isServed(before) && !isServed(state)) await withdrawHost(session, domain.host, event.at)
  if (before.ownership === 'proven' && state.ownership !== 'proven') {
    await abandonOrder(session, domain, 'canceled', event.at)
    await releaseAuthorizations(session, id, event.at)
  }
  // The platform's own hosts have no owner to notify.
  for (const change of domain.holder === platformHolder ? [] : changes) {
    await recordEvent(session, domain, { ...change, origin: programOrigin(event.at) })
  }
  return { ...domain, version: version + 1, state, lastNotified }
}

function isServed({ serving }: DomainState): boolean {
  return serving === 'http_only' || serving === 'https'
}

/** A change of these invalidates what edge/find-host.ts has cached. */
const cachedFields = ['serving', 'ownership', 'expiresAt'] as const
