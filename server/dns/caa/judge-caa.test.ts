// CAA records and what they allow an authority to do.
import { expect, test } from 'vitest'
import { evaluateCaa, narrowReading } from './find-caa.ts'

const accountUri = 'https://ca.example/acct/1'
const request = { issuers: ['ca.example', 'ca2.example'], accountUri, method: 'http-01' }

function caa(value: string, tag = 'issue', flags = 0) {
  return { name: 'example.org', ttlSeconds: 60, type: 'CAA' as const, flags, tag, value }
}

test.each([
  ['no record', [], 'no rule'],
  ['issuewild alone, for a plain name', [caa(';', 'issuewild')], 'no rule'],
  ['iodef alone', [caa('mailto:a@b.example', 'iodef', 128)], 'no rule'],
  ['an unknown tag that is not critical', [caa('x', 'future')], 'no rule'],
  ['our name', [caa('ca.example')], 'listed'],
  ['the second CAA name of the authority', [caa('ca2.example')], 'listed'],
  ['the CAA name in capitals, with spaces', [caa('  CA.Example ; ', 'ISSUE')], 'listed'],
  ['the authority among others', [caa('other.example'), caa('ca.example'), caa(';')], 'listed'],
  ['our account', [caa(`ca.example; accounturi=${accountUri}`)], 'listed'],
  [
    'the validation method among others',
    [caa('ca.example;validationmethods=dns-01,http-01')],
    'listed',
  ],
  ['a parameter of the authority', [caa('ca.example; policy = ev')], 'listed'],
  ['a tab around a parameter', [caa('ca.example;\\009policy=ev\\009')], 'listed'],
  ['a backslash in the value of a parameter', [caa('ca.example; policy=\\092')], 'listed'],
  ['another account, and any', [caa('ca.example; accounturi=x'), caa('ca.example')], 'listed'],
  ['the critical flag on a known tag', [caa('ca.example', 'issue', 128)], 'listed'],
] as const)('%s: allowed', (_, records, because) => {
  expect(evaluateCaa([...records], request)).toEqual({ isAllowed: true, because })
})

test.each([
  ['nobody', [caa(';')], 'nobody', []],
  ['an empty value', [caa('')], 'nobody', []],
  ['others', [caa('a.example'), caa('b.example; x=y')], 'not listed', ['a.example', 'b.example']],
  ['a subdomain of the CAA name', [caa('x.ca.example')], 'not listed', ['x.ca.example']],
  ['an unknown critical tag', [caa('ca.example'), caa('x', 'future', 128)], 'unknown critical', []],
  ['another account', [caa('ca.example; accounturi=x')], 'account', ['ca.example']],
  [
    'the account twice',
    [caa(`ca.example; accounturi=${accountUri}; accounturi=${accountUri}`)],
    'account',
    ['ca.example'],
  ],
  ['another method', [caa('ca.example; validationmethods=dns-01')], 'method', ['ca.example']],
  ['no method', [caa('ca.example; validationmethods=')], 'method', ['ca.example']],
  [
    'a method that is none',
    [caa('ca.example; validationmethods=http-01,')],
    'method',
    ['ca.example'],
  ],
  ['a value that cannot be read', [caa('ca.example policy=ev')], 'malformed', []],
  ['a parameter without a value', [caa('ca.example; policy')], 'malformed', []],
  ['an escaped byte', [caa('ca\\255.example')], 'malformed', []],
] as const)('%s: refused', (_, records, because, listed) => {
  expect(evaluateCaa([...records], request)).toMatchObject({ isAllowed: false, because, listed })
})

test.each([
  ['ca.example.', 'ca.example', '.'],
  ['https://ca.example', 'https', ':'],
  ['ca.example, b.example', 'ca.example', ','],
  ['"ca.example"', '', '"'],
  ['ca.example policy=ev', 'ca.example', ' '],
  ['ca.example; validationmethods=http-01, dns-01', 'ca.example; validationmethods=http-01,', ' '],
  ['ca.example; policy=ev;', 'ca.example; policy=ev;', ''],
  ['ca.example; policy=ev; ; a=b', 'ca.example; policy=ev;', ';'],
  ['ca.example; policy', 'ca.example; policy', ''],
  ['ca.example; my_policy=ev', 'ca.example; my', '_'],
  ['ca.example; policy=\\195\\164', 'ca.example; policy=', 'Ã'],
])('%s is malformed after "%s", by "%s"', (value, before, char) => {
  expect(evaluateCaa([caa(';'), caa(value)], request)).toMatchObject({
    because: 'malformed',
    malformed: { record: { value }, before, char },
  })
})

test.each([
  [[caa('CA.Example')], 'letter case'],
  [[caa('ca.example; validation-methods=http-01')], 'hyphen'],
  [[caa('ca.example'), caa('x', 'tbs', 1)], 'flag 1'],
  [[caa('x', 'tbs', 1)], 'flag 1'],
  [[caa('CA.Example'), caa('ca.example')], undefined],
  [[caa('x', 'iodef', 1), caa('ca.example', 'issue', 1)], undefined],
  [[caa('CA.Example; accounturi=x'), caa('ca.example; policy=e-v')], undefined],
  [[caa('other.example; validation-methods=http-01')], undefined],
  [[], undefined],
] as const)('%j is read more narrowly: %s', (records, because) => {
  expect(narrowReading([...records], request)?.because).toBe(because)
})

test('issuewild does not apply to other names', () => {
  const records = [caa('ca.example'), caa('other.example', 'issuewild')]
  expect(evaluateCaa(records, request)).toMatchObject({ because: 'listed' })
  expect(evaluateCaa(records.slice(1), request)).toMatchObject({ because: 'no rule' })
})

test('refuses a record with an account when the account is unknown', () => {
  const { issuers, method } = request
  const records = [caa('ca.example; accounturi=https://ca.example/acct/1')]
  expect(evaluateCaa(records, { issuers, method })).toMatchObject({ because: 'account' })
})

test('parses values with many special characters quickly', () => {
  const start = performance.now()
  evaluateCaa([caa(`${'a-'.repeat(30_000)};${'b-'.repeat(30_000)}`)], request)
  evaluateCaa([caa(`a;${'b=c;'.repeat(15_000)}${' '.repeat(30_000)}x`)], request)
  expect(performance.now() - start).toBeLessThan(200)
})
