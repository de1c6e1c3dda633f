// The state of a domain under random events in random order: checks, user actions, plans, late results of the
// certificate engine, clock changes, restarts. The invariants are checked after each step.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { domainOf } from '../database/domain-row.ts'
import {
  certificateStates,
  type DomainEvent,
  type DomainState,
  dnsStates,
  dueAt,
  hasCertificate,
  isOwnershipLapsing,
  isPreparing,
  isUnresolvable,
  lostAfterMs,
  mayIssue,
  mayIssueAhead,
  ownershipLapsesAfterMs,
  ownershipStates,
  preparationStates,
  servingStates,
  stateWhenAdded,
} from './domain-state.ts'
import { cutAfterMs, maxPrepared, transition } from './transition.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The facts outside the state. */
interface World {
  now: number
  isPaid: boolean
  /** Since when all checks find that the domain no longer points to us. */
  driftingSince: number | undefined
  /** Whether the last check that could tell found the TXT record that proves ownership. */
  hasTxt: boolean
  /** Whether a person wants the certificate before the switch. */
  isWanted: boolean
}
interface Kept {
  state: DomainState
}
type Command = fc.Command<World, Kept>

function hold(before: DomainState, event: DomainEvent, state: DomainState, world: World): void {
  const { at } = event
  expect(ownershipStates).toContain(state.ownership)
  expect(dnsStates).toContain(state.dns)
  expect(certificateStates).toContain(state.certificate)
  expect(servingStates).toContain(state.serving)

  // Without proof of ownership, no site is served and no certificate is kept.
  if (state.ownership !== 'proven') expect(state).toMatchObject({ serving: 'off', expiresAt: null })
  if (state.serving === 'https') expect(hasCertificate(state, at)).toBe(true)
  if (state.expiresAt === null) expect(state.renewAt).toBeNull()
  else expect(state.expiresAt).toBeGreaterThan(at)
  const hasExpired = before.expiresAt !== null && state.expiresAt === null
  if (hasExpired && event.type === 'tick' && state.ownership === 'proven') {
    expect(state).toMatchObject({ certificate: 'expired', certificateSince: at })
    if (mayIssue(state)) expect(state.issueAt).toBeLessThanOrEqual(at)
  }

  // Ownership is proven only by a check that proves it, with its way and time, and stays so until another account proves
  // it, or it lapses. Nothing but a proof leads out of `revoked`.
  const proves = event.type === 'checked' ? event.provenBy : undefined
  expect(state.provenBy !== null).toBe(state.ownership === 'proven')
  const { failingSince: since, txtFoundAt } = state
  const known = { ...before, failingSince: since, txtFoundAt }
  const hasLapsed = isOwnershipLapsing(before, at) || isOwnershipLapsing(known, at)
  if (before.ownership === 'proven' && !hasLapsed) {
    if (event.type === 'ownership_lost') expect(state.ownership).toBe('revoked')
    else {
      const { ownership, provenAt, provenBy } = before
      expect(state).toMatchObject({ ownership, provenAt, provenBy })
    }
  } else if (state.ownership === 'proven') {
    expect(proves).toBeDefined()
    expect(state).toMatchObject({ provenBy: proves, provenAt: at })
  }
  if (before.ownership === 'revoked') expect(['revoked', 'proven']).toContain(state.ownership)

  // A failed lookup changes nothing that was known, and one check that finds the pointer makes up for all before.
  const { dns, failingSince, partialSince, pointedWhenAdded } = before
  if (event.type === 'checked' && event.result !== 'unknown') {
    const { pointsToUs, result } = event
    expect(state.pointedWhenAdded).toBe(pointedWhenAdded ?? pointsToUs)
    expect(state.partialSince).toBe(result === 'partial' ? (partialSince ?? at) : null)
    if (result === 'ok') expect(state).toMatchObject({ dns: 'ok', failingSince: null })
  } else expect(state).toMatchObject({ dns, failingSince, partialSince, pointedWhenAdded })
  if (event.type === 'checked') expect(state.checkedAt).toBe(at)
  // Two checks, ten minutes apart, that nobody can look it up put it at risk; any that finds it ends that.
  const isConfirmed = isUnresolvable(state) && !isUnresolvable(before)
  if (event.type !== 'checked') expect(state.unresolvableSince).toBe(before.unresolvableSince)
  else if (event.result !== 'unknown') expect(state.unresolvableSince).toBeNull()
  else if (isConfirmed) {
    expect(event.isUnresolvable).toBe(true)
    expect(at - (before.unresolvableSince ?? at)).toBeGreaterThanOrEqual(lostAfterMs)
  }
  expect(state.failingSince !== null).toBe(state.dns === 'drifting' || state.dns === 'lost')
  if (state.dns === 'lost' && dns !== 'lost') {
    expect(dns).toBe('drifting')
    expect(at - (failingSince ?? at)).toBeGreaterThanOrEqual(lostAfterMs)
  }

  // A request to the authority is scheduled exactly when issuance is allowed. Late results are ignored.
  expect(state.issueAt !== null).toBe(mayIssue(state))
  if (!mayIssue(state)) {
    expect(['none', 'issued', 'expired']).toContain(state.certificate)
    expect(state.attempt?.endedAt).not.toBeNull()
  }
  if (state.certificate === 'blocked') expect(state.blockedBy).not.toBeNull()
  if (state.certificate === 'retry_wait') expect(state).toMatchObject({ blockedBy: null })

  // Before DNS points here a certificate needs the owner's TXT record, now, and the owner's request: no pointer opens it.
  expect(preparationStates).toContain(state.preparation)
  expect(state.txtFoundAt !== null).toBe(world.hasTxt)
  const isOpen = mayIssue(state) && state.dns !== 'ok'
  if (isOpen) expect(world).toMatchObject({ hasTxt: true, isWanted: true })
  if (isOpen) expect(state.ownership).toBe('proven')
  if (state.preparation === 'requested') {
    expect(world.isWanted).toBe(true)
    expect(state.dns === 'ok').toBe(false)
  }
  if (state.preparation === 'switched') expect(state.recordUntil).toBeNull()
  // A record is asked for only while a certificate may be requested, and not for longer than two renewals.
  if (state.recordUntil !== null) expect(mayIssueAhead(state)).toBe(true)
  if (state.preparation === 'requested' && state.preparedCount >= maxPrepared) {
    expect(state.renewAt === null || state.renewAt > at || state.pausedAt !== null).toBe(true)
  }

  // The domain never gets stuck: a check is due, or it waits for the user.
  if (state.pausedAt === null) expect(state.checkAt).not.toBeNull()
  else expect(dueAt(state)).toBeNull()
  const isResumed = event.type === 'preparation' && event.isRequested
  if (before.pausedAt !== null && event.type !== 'verification_requested' && !isResumed)
    expect(state.pausedAt).not.toBeNull()
  if (event.type === 'verification_requested') expect(state.pausedAt).toBeNull()
  if (mayIssue(state) && !hasCertificate(state, at) && event.type === 'tick') {
    expect(state.issueAt).toBeLessThanOrEqual(Math.max(at, before.issueAt ?? at))
  }

  // A host that did not point here for 30 days is not proven by what was known before.
  const held = Math.max(before.failingSince ?? at, before.provenAt ?? 0, before.txtFoundAt ?? 0)
  if (at - held >= ownershipLapsesAfterMs && state.ownership === 'proven') {
    expect(state.provenAt).toBe(at)
  }

  // The domain is served for seven days after it stops pointing to us, and not longer.
  const isCut = state.serving === 'off' && state.ownership === 'proven' && state.pausedAt === null
  const { driftingSince } = world
  if (isCut) expect(isPreparing(state)).toBe(false)
  if (isCut) expect(at - (driftingSince ?? at)).toBeGreaterThanOrEqual(cutAfterMs)
  expect(state.failingSince ?? undefined).toBe(driftingSince)

  // Only an unpaid domain is suspended, and payment restores it.
  if (state.serving === 'suspended') expect(world.isPaid).toBe(false)
  if (event.type === 'plan' && !event.isPaid && state.ownership === 'proven') {
    expect(state.serving).toBe('suspended')
  }

  expect(state.certificateSince ?? at).toBeLessThanOrEqual(at)
  if (event.type === 'issued' && state.certificate === 'issued') {
    expect(state).toMatchObject({ failures: 0, blockedBy: null, certificateSince: null })
  }
}

type Untimed<E> = E extends DomainEvent ? Omit<E, 'at'> : never

function happens(event: Untimed<DomainEvent>): Command {
  return {
    check: () => true,
    run(world, kept) {
      const before = Object.freeze(kept.state)
      const dated = timed(event, world.now)
      note(world, before, dated)
      kept.state = transition(before, dated)
      hold(before, dated, kept.state, world)
      // A tick at the same time does not change ownership or serving.
      const { ownership, serving } = transition(kept.state, { type: 'tick', at: world.now })
      expect({ ownership, serving }).toEqual({ ownership, serving: kept.state.serving })
    },
    toString: () => JSON.stringify(event),
  }
}

/** Times in an event are relative to the time of the event. */
function timed(event: Untimed<DomainEvent>, now: number): DomainEvent {
  const moments = ['expiresAt', 'renewAt', 'lookAt', 'retryAt', 'until']
  const dated = Object.entries(event).map(([name, value]) => [
    name,
    moments.includes(name) && typeof value === 'number' ? now + value : value,
  ])
  return { ...Object.fromEntries(dated), at: now } as DomainEvent
}

function note(world: World, { dns }: DomainState, event: DomainEvent): void {
  if (event.type === 'plan') world.isPaid = event.isPaid
  if (event.type === 'preparation') world.isWanted = event.isRequested
  if (event.type === 'checked' && event.txt !== undefined) world.hasTxt = event.txt === 'found'
  if (event.type === 'ownership_lost') Object.assign(world, { hasTxt: false, isWanted: false })
  if (event.type !== 'checked' || event.result === 'unknown') return
  const led = dns === 'ok' || dns === 'drifting' || dns === 'lost'
  world.driftingSince = event.result !== 'ok' && led ? (world.driftingSince ?? event.at) : undefined
}

const passes = (ms: number): Command => ({
  check: () => true,
  run(world) {
    world.now += ms
  },
  toString: () => `${ms > 0 ? '+' : ''}${ms / minute} min`,
})

/** Writes the state to a database row and reads it back, as after a start. */
const restarts: Command = {
  check: () => true,
  run(_, kept) {
    const state = domainOf(rowOf(kept.state)).state
    expect(state).toEqual(kept.state)
    kept.state = state
  },
  toString: () => 'restart',
}

type Row = Parameters<typeof domainOf>[0]

function rowOf(state: DomainState): Row {
  const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)
  const cells = Object.entries(state).map(([name, value]) => {
    if (name === 'attempt') return [name, value && JSON.stringify(value)]
    const kept = typeof value === 'boolean' ? Number(value) : value
    return [snake(name), typeof kept === 'number' ? BigInt(kept) : kept]
  })
  const rest = { id: 'dom_1', added_at: 0n, version: 0n, redirect_to: null, problem: null }
  return { ...Object.fromEntries(cells), ...rest } as Row
}

const span = (most: number) => fc.integer({ min: 0, max: most })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

type Of<T, E = DomainEvent> = E extends { type: infer Types; at: number }
  ? T extends Types
    ? Omit<E, 'type' | 'at'>
    : never
  : never
/** An event of this type, with any of these values. */
const of = <T extends DomainEvent['type']>(
  weight: number,
  type: T,
  values: { [Name in keyof Of<T>]: fc.Arbitrary<Of<T>[Name]> },
) => ({
  weight,
  arbitrary: fc.record({ type: fc.constant(type), ...values }) as fc.Arbitrary<object>,
})
const anyDate = maybe(span(7 * day))
const event = fc.oneof(
  of(8, 'checked', {
    result: fc.constantFrom(
      ...(['ok', 'ok', 'ok', 'missing', 'conflict', 'wrong_target'] as const),
      ...(['partial', 'unknown'] as const),
    ),
    isUnresolvable: fc.boolean(),
    pointsToUs: fc.boolean(),
    provenBy: fc.constantFrom('pointer', 'txt', undefined),
    isDisputed: fc.boolean(),
    txt: fc.constantFrom('found', 'found', 'missing', undefined),
    isPreparable: fc.boolean(),
    isRecordSeen: fc.boolean(),
  }),
  of(3, 'preparation', { isRequested: fc.constantFrom(true, true, false) }),
  of(3, 'record_awaited', { until: span(7 * day), lookAt: span(7 * day) }),
  of(2, 'verification_requested', {}),
  of(1, 'ownership_lost', {}),
  of(2, 'plan', { isPaid: fc.boolean() }),
  of(2, 'begun', {}),
  of(2, 'blocked', { by: fc.constantFrom('C01', 'budget', 'T01', 'M02', 'M11'), until: anyDate }),
  of(2, 'ordered', { lookAt: maybe(span(hour)) }),
  of(2, 'validating', { lookAt: maybe(span(hour)) }),
  of(4, 'issued', {
    ...{ expiresAt: span(90 * day), renewAt: span(90 * day), lookAt: span(12 * hour) },
  }),
  of(3, 'failed', {
    retryAt: anyDate,
    jitter: fc.integer({ min: -100, max: 100 }).map((n) => n / 100),
  }),
  of(1, 'renewal', { renewAt: span(60 * day), lookAt: span(12 * hour) }),
  of(2, 'tick', {}),
) as fc.Arbitrary<Untimed<DomainEvent>>
const commands = fc.commands(
  [
    event.map(happens),
    event.map(happens),
    fc.oneof(span(20 * minute), span(40 * day)).map(passes),
    fc.integer({ min: -5 * hour, max: 0 }).map(passes),
    fc.constant(restarts),
  ],
  // Long sequences: some errors need many steps.
  { maxCommands: 60, size: 'max' },
)

const start = Date.UTC(2027, 0, 1)

it('keeps all invariants for random events', () => {
  fc.assert(
    fc.property(commands, (happening) => {
      const setup = () => ({
        model: {
          ...{ now: start, isPaid: true, driftingSince: undefined },
          ...{ hasTxt: false, isWanted: false },
        } as World,
        real: { state: stateWhenAdded(start) } as Kept,
      })
      fc.modelRun(setup, happening)
    }),
    { numRuns: runs(300) },
  )
})
