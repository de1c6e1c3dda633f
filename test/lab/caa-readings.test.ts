// The program's reading of CAA records against the one of the lab's authority, which was written from the RFCs alone: over
// values of the grammar, nearly of the grammar, and of no grammar. Where the two differ on purpose stands below.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { evaluateCaa } from '#dns/caa/find-caa.ts'
import { caaAllows } from '../../lab/certificate-authority/evaluate-caa.ts'

const identity = 'ca.example'
const accountUri = 'https://ca.example/acct/1'
const request = { issuers: [identity], accountUri }

type Caa = Parameters<typeof evaluateCaa>[0][number]

const caa = (value: string, tag = 'issue', flags = 0): Caa => {
  return { name: 'zoo.example', ttlSeconds: 60, type: 'CAA', flags, tag, value }
}

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))
/** As a record has them: what is not printable ASCII is `\DDD`. */
const space = often('', ' ', '  ', '\\009')
const parameter = fc
  .tuple(
    fc.constantFrom('accounturi', 'validationmethods', 'policy', 'AccountUri', 'a-b', 'a--b', '-a'),
    often('=', '', '=='),
    fc.constantFrom(accountUri, 'http-01', 'dns-01,http-01', 'http-01,', '', 'dns-01', 'a=b', 'ev'),
    fc.tuple(space, space, space, space),
  )
  .map(([tag, is, value, at]) => at[0] + tag + at[1] + is + at[2] + value + at[3])
const issuer = often(identity, 'CA.Example', 'other.example', '', 'ca.example.', 'ca..example')
const structured = fc
  .tuple(
    fc.tuple(space, issuer, space).map((parts) => parts.join('')),
    fc.array(parameter, { maxLength: 3 }),
    often('', ';', '; ', ';;', ' x'),
  )
  .map(([head, parameters, end]) => [head, ...parameters].join(';') + end)
/** One character of a value, changed. */
const damaged = fc
  .tuple(
    structured,
    fc.nat(80),
    fc.constantFrom('', ';', '"', '.', '-', '\\195', '\\092', ',', '='),
  )
  .map(([value, at, char]) => value.slice(0, at) + char + value.slice(at + 1))
  // A cut escape is none that a record has.
  .filter((value) => !/\\(?!\d{3})/.test(value))
const anyCaa = fc
  .tuple(
    fc.oneof(structured, damaged),
    often('issue', 'ISSUE', 'issuewild', 'iodef', 'issuemail', 'tbs'),
    often(0, 1, 128, 129),
  )
  .map((each) => caa(...each))
const sets = fc.array(anyCaa, { maxLength: 4 })
const methods = fc.constantFrom('http-01', 'dns-01')

/** Differences that are meant: of which records, and what each reading says of an example. */
const meant: [string, isMeant: (record: Caa) => boolean, example: Caa, said: boolean[]][] = [
  [
    'a critical issuemail (RFC 9495) is understood',
    ({ flags, tag }) => flags >= 128 && tag === 'issuemail',
    caa('', 'issuemail', 128),
    [true, false],
  ],
  [
    'the tag of a parameter in other letter case is the same one',
    ({ value }) => value.includes('AccountUri'),
    caa(`${identity}; AccountUri=x`),
    [false, true],
  ],
  [
    'a repeated validationmethods allows nothing, as a repeated accounturi does',
    ({ value }) => (value.match(/validationmethods/g)?.length ?? 0) > 1,
    caa(`${identity}; validationmethods=http-01; validationmethods=http-01`),
    [false, true],
  ],
]
const differs = (records: Caa[]) => meant.some(([, isMeant]) => records.some(isMeant))

describe('the two readings of CAA', () => {
  const both = (records: Caa[], method: string) => [
    evaluateCaa(records, { ...request, method }).isAllowed,
    caaAllows(records, { identity, accountUri, method }),
  ]

  it('agree on every set of records', () => {
    let allowed = 0
    fc.assert(
      fc.property(sets, methods, (records, method) => {
        fc.pre(!differs(records))
        const [ours, theirs] = both(records, method)
        expect(ours).toBe(theirs)
        if (ours && records.some(({ tag }) => tag.toLowerCase() === 'issue')) allowed += 1
      }),
      { numRuns: 3000 },
    )
    expect(allowed).toBeGreaterThan(100)
  })

  test.each(meant)('differ: %s', (_, isMeant, example, said) => {
    expect(isMeant(example)).toBe(true)
    expect(both([example], 'http-01')).toEqual(said)
  })
})
