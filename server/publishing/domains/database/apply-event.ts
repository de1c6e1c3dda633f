// The one place that writes the state of a domain: only over the version that it was made from.
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
 * Lets an event happen to a domain, inside a write that has the lock. Gives it as it is then. Throws when
 * the domain is not as it was read: within the lock that cannot be.
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
  // Of hosts of our own nobody has to be told.
  for (const change of domain.holder === platformHolder ? [] : changes) {
    await recordEvent(session, domain, { ...change, at: event.at, actor: null })
  }
  return { ...domain, version: version + 1, state, lastNotified }
}

function isServed({ serving }: DomainState): boolean {
  return serving === 'http_only' || serving === 'https'
}

/** What everything that is remembered of sites depends on. */
function isOtherwiseServed(before: DomainState, after: DomainState): boolean {
  return (
    before.serving !== after.serving ||
    before.ownership !== after.ownership ||
    before.expiresAt !== after.expiresAt
  )
}
