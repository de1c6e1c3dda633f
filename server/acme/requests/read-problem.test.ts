import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseProblemResponse, readProblem } from './read-response.ts'

const urn = 'urn:ietf:params:acme:error:'

describe('a problem document', () => {
  it('is read with its subproblems', () => {
    const sent = {
      type: `${urn}malformed`,
      detail: 'Some of the identifiers',
      instance: 'https://authority.example/why',
      subproblems: [
        {
          type: `${urn}caa`,
          detail: 'no',
          identifier: { type: 'dns', value: 'A.example' },
        },
        { type: `${urn}dns`, detail: 'no address' },
        'nonsense',
      ],
    }
    expect(parseProblemResponse(403, Buffer.from(JSON.stringify(sent)))).toEqual({
      type: 'malformed',
      detail: 'Some of the identifiers',
      status: 403,
      instance: 'https://authority.example/why',
      subproblems: [
        { type: 'caa', detail: 'no', identifier: 'a.example' },
        { type: 'dns', detail: 'no address', identifier: undefined },
        { type: 'about:blank', detail: '', identifier: undefined },
      ],
    })
  })

  it('keeps a type that is not of ACME', () => {
    expect(readProblem({ type: 'https://authority.example/odd' })?.type).toBe(
      'https://authority.example/odd',
    )
  })

  it('is safe to show: without control characters, and of limited length', () => {
    const detail = `red \u001b[31malert\u0000\n\u202etxet ${'x'.repeat(5000)}`
    const problem = readProblem({ type: `${urn}dns`, detail })
    expect(problem?.detail).toMatch(/^red \[31malert txet x+$/)
    expect(problem?.detail.length).toBeLessThanOrEqual(1000)
  })

  it('has a hundred subproblems at most', () => {
    expect(readProblem({ subproblems: new Array(500).fill({}) })?.subproblems).toHaveLength(100)
  })
})

test('any error response becomes a problem with a status', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const problem = parseProblemResponse(500, Buffer.from(text))
      expect(problem.status).toBe(500)
      expect(problem.detail).not.toBe('')
      expect(typeof problem.type).toBe('string')
    }),
  )
})
