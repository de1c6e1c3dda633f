import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/cases.ts'
import {
  type DomainEvent,
  type DomainState,
  dnsStates,
  ownershipStates,
  stateWhenAdded,
} from './domain-state.ts'
import { lostAfterMs, transition } from './transition.ts'

type Checked = Extract<DomainEvent, { type: 'checked' }>

const minute = 60_000
const results = ['ok', 'missing', 'conflict', 'wrong_target', 'partial', 'unknown'] as const

/** Events with the time since the previous one, which is never negative. */
const checked = fc.record({
  type: fc.constant('checked' as const),
  at: fc.integer({ min: 0, max: 20 * minute }),
  result: fc.constantFrom(...results),
  pointsToUs: fc.boolean(),
  provenBy: fc.constantFrom('pointer' as const, 'txt' as const, undefined),
  isDisputed: fc.boolean(),
})
const ownershipLost = fc.record({
  type: fc.constant('ownership_lost' as const),
  at: fc.integer({ min: 0, max: 20 * minute }),
})
const lives = fc.array(fc.oneof({ weight: 9, arbitrary: checked }, ownershipLost), {
  maxLength: 40,
})

interface Step {
  before: DomainState
  event: DomainEvent
  after: DomainState
}

/** Applies the events in order. */
function live(events: readonly DomainEvent[]): Step[] {
  const steps: Step[] = []
  let [state, now] = [stateWhenAdded(0), 0]
  for (const { at, ...rest } of events) {
    now += at
    const event = { ...rest, at: now } as DomainEvent
    const after = transition(state, event)
    steps.push({ before: state, event, after })
    state = after
  }
  return steps
}

function always(holds: (step: Step) => void): void {
  fc.assert(
    fc.property(lives, (events) => {
      for (const step of live(events)) holds(step)
    }),
    { numRuns: runs(500) },
  )
}

const check = (result: Checked['result'], at: number, more: Partial<Checked> = {}): Checked => ({
  type: 'checked',
  at,
  result,
  pointsToUs: result === 'ok',
  provenBy: undefined,
  isDisputed: false,
  ...more,
})
const lived = (...events: DomainEvent[]) => events.reduce(transition, stateWhenAdded(0))

describe('after any events, the domain', () => {
  it('has a valid state, and the previous state object is unchanged', () => {
    always(({ after: state, before, event }) => {
      expect(ownershipStates).toContain(state.ownership)
      expect(dnsStates).toContain(state.dns)
      const frozen = Object.freeze({ ...before })
      expect(transition(frozen, event)).toEqual(state)
    })
  })

  it('stays proven until another account proves ownership', () => {
    always(({ after: state, before, event }) => {
      if (before.ownership !== 'proven') return
      if (event.type === 'ownership_lost') expect(state.ownership).toBe('revoked')
      else {
        const { ownership, provenAt, provenBy } = before
        expect(state).toMatchObject({ ownership, provenAt, provenBy })
      }
    })
  })

  it('becomes proven only by a check that proves ownership', () => {
    always(({ after: state, before, event }) => {
      if (before.ownership === 'proven' || state.ownership !== 'proven') return
      const by = event.type === 'checked' ? event.provenBy : undefined
      expect(by).toBeDefined()
      expect(state).toMatchObject({ provenBy: by, provenAt: event.at })
    })
  })

  it('has a proof method and time exactly while it is proven', () => {
    always(({ after: { ownership, provenAt, provenBy } }) => {
      expect([provenBy !== null, provenAt !== null]).toEqual(Array(2).fill(ownership === 'proven'))
    })
  })

  it('leaves revoked only by a verification', () => {
    always(({ after: state, before }) => {
      if (before.ownership === 'revoked') expect(['revoked', 'proven']).toContain(state.ownership)
    })
  })

  it('keeps its DNS state after a failed lookup', () => {
    always(({ after: state, before, event }) => {
      if (event.type !== 'checked' || event.result !== 'unknown') return
      const { dns, failingSince, partialSince, pointedWhenAdded } = before
      expect(state).toMatchObject({ dns, failingSince, partialSince, pointedWhenAdded })
      expect(state.checkedAt).toBe(event.at)
    })
  })

  it('keeps whether it pointed here when it was added', () => {
    always(({ after: state, before, event }) => {
      if (before.pointedWhenAdded !== null) {
        expect(state.pointedWhenAdded).toBe(before.pointedWhenAdded)
      } else if (event.type === 'checked' && event.result !== 'unknown') {
        expect(state.pointedWhenAdded).toBe(event.pointsToUs)
      } else expect(state.pointedWhenAdded).toBeNull()
    })
  })

  it('is failing exactly while it no longer points to us', () => {
    always(({ after: { dns, failingSince } }) => {
      expect(failingSince !== null).toBe(dns === 'drifting' || dns === 'lost')
    })
  })

  it('is lost only after two failed checks ten minutes apart', () => {
    always(({ after: state, before, event }) => {
      if (state.dns !== 'lost' || before.dns === 'lost') return
      expect(before.dns).toBe('drifting')
      expect(event.at - (before.failingSince ?? event.at)).toBeGreaterThanOrEqual(lostAfterMs)
    })
  })

  it('recovers with one successful check', () => {
    always(({ after: state, event }) => {
      if (event.type !== 'checked' || event.result !== 'ok') return
      expect(state).toMatchObject({ dns: 'ok', failingSince: null, partialSince: null })
    })
  })
})

describe('a domain over time', () => {
  it('drifts since the first failed check, not since it was added', () => {
    const day = 24 * 60 * minute
    const fine = lived(check('missing', 0), check('ok', minute))
    const drifting = transition(fine, check('missing', day))
    expect(drifting).toMatchObject({ dns: 'drifting', failingSince: day })
    expect(transition(drifting, check('conflict', day + lostAfterMs - 1)).dns).toBe('drifting')
    expect(transition(drifting, check('conflict', day + lostAfterMs))).toMatchObject({
      dns: 'lost',
      failingSince: day,
    })
  })

  it('remembers since when only some servers have it', () => {
    const partial = lived(check('missing', 0), check('partial', 5), check('partial', 9))
    expect(partial).toMatchObject({ dns: 'partial', partialSince: 5 })
    expect(transition(partial, check('missing', 12))).toMatchObject({
      dns: 'missing',
      partialSince: null,
    })
  })

  it('is disputed only while another account holds it', () => {
    const disputed = lived(check('ok', 0, { isDisputed: true }))
    expect(disputed.ownership).toBe('disputed')
    expect(transition(disputed, check('ok', 1)).ownership).toBe('unproven')
    expect(transition(disputed, check('ok', 1, { provenBy: 'txt' })).ownership).toBe('proven')
  })
})
