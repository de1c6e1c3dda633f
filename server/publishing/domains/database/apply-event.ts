// The only place that writes the state of a domain. An update applies only to the version it was computed from.
import { findOne, type Session } from '../../../platform/database/database.ts'
import { changePublished } from '../../database/publishing-state.ts'
import { prepareQuery } from '../../database/tables.ts'
import { withdrawHost } from '../../database/withdrawn-hosts.ts'
import { diffToEvents, type LastNotified } from '../events/diff-to-events.ts'
import { recordEvent } from '../events/record-event.ts'
import { type DomainEvent, type DomainState, dueAt } from '../state/domain-state.ts'
import { transition } from '../state/transition.ts'
import {
  type FoundDomain,
  platformHolder,
  type StateParams,
  stateAssignments,
  stateParams,
} from './domain-row.ts'

interface Saved extends StateParams {
  id: string
  version: number
  dueAt: number | null
  lastNotified: LastNotified
}

const save = prepareQuery<Saved>()((db, param) =>
  db
    .updateTable('domains')
    .set((eb) => ({
      ...stateAssignments(param),
      version: eb('version', '+', 1n),
      due_at: param('dueAt'),
      last_notified: param('lastNotified'),
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
  const { id, version } = domain
  const state = transition(domain.state, event)
  const { problem } = domain
  const step = {
    before: domain.state,
    after: state,
    event,
    lastNotified: domain.lastNotified,
    problem,
  }
  const { changes, lastNotified } = diffToEvents(step)
  const params = { id, version, dueAt: dueAt(state), lastNotified }
  const saved = await findOne(session, save, { ...stateParams(state), ...params })
  if (!saved) throw new Error(`domain ${id} changed outside of the lock`)
  if (isOtherwiseServed(domain.state, state)) await changePublished(session)
  if (isServed(domain.state) && !isServed(state)) await withdrawHost(session, domain.host, event.at)
  // The platform's own hosts have no owner to notify.
  for (const change of domain.holder === platformHolder ? [] : changes) {
    await recordEvent(session, domain, { ...change, at: event.at, actor: null })
  }
  return { ...domain, version: version + 1, state, lastNotified }
}

function isServed({ serving }: DomainState): boolean {
  return serving === 'http_only' || serving === 'https'
}

/** The version that invalidates cached sites. */
function isOtherwiseServed(before: DomainState, after: DomainState): boolean {
  return (
    before.serving !== after.serving ||
    before.ownership !== after.ownership ||
    before.expiresAt !== after.expiresAt
  )
}
