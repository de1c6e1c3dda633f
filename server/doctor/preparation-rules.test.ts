// A certificate before the switch: what is said about it, and what prevents it.
import { describe, expect, it } from 'vitest'
import { cname, facts } from './evidence-in-test.ts'
import { findPreparationBlocker, judge } from './judge.ts'
import {
  host,
  name,
  preparationSituations,
  preparing,
  set,
} from './preparation-situations-in-test.ts'

describe('of a certificate before the switch', () => {
  it('says nothing about DNS that points elsewhere, and does not change the result', () => {
    const { evidence: given } = preparing([set, set])
    const { preparation: _, ...withoutRequest } = given
    expect(judge(withoutRequest)).toMatchObject({
      result: 'wrong_target',
      diagnostics: [{ code: 'D12' }],
    })
    expect(judge(given)).toMatchObject({ result: 'wrong_target', diagnostics: [] })
    expect(findPreparationBlocker(judge(given))).toBeUndefined()
  })

  it('is blocked by what the authority would refuse, not by a value that is still wrong', () => {
    const blockers = Object.entries(preparationSituations).map(([code, [first]]) => {
      return [code, first && findPreparationBlocker(judge(first.given.evidence))]
    })
    expect(Object.fromEntries(blockers)).toEqual({
      ...{ M01: 'M01', M02: 'M02', M13: 'M13' },
      ...{ M03: undefined, M04: undefined, M09: undefined, M10: undefined },
      // The authority's answer waits for its time.
      ...{ M11: undefined, M12: undefined },
    })
  })

  it('takes a CNAME that a wildcard answers for none', () => {
    const wild = facts(cname(name, 'elsewhere.example'))
    const given = preparing([wild, wild], {
      challenge: { name },
      wildcard: facts(cname(`random.${host}`, 'elsewhere.example')),
    })
    expect(judge(given.evidence).diagnostics).toEqual([])
  })
})
