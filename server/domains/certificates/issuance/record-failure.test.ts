// Whatever an authority answers, the doctor says who has to act and what to do.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  AcmeNoResponse,
  AcmeProblem,
  type Operation,
  parseProblemResponse,
} from '#acme/requests/read-response.ts'
import { evidence, ourAddress, probe } from '#doctor/evidence-in-test.ts'
import { isAboutAccount } from '#doctor/rules/certificate-rules.ts'
import { answersOfAuthority, judge } from '#doctor/rules/judge.ts'
import { runs } from '../../../../test/cases.ts'
import { classifyFailure, NotIssued } from './record-failure.ts'

const directory = 'https://authority.example/directory'
const operations: Operation[] = [
  ...(['directory', 'new nonce', 'new account', 'get account', 'new order'] as const),
  ...(['get order', 'get authorization', 'answer challenge', 'finalize order'] as const),
  'download certificate',
]
/** RFC 8555, section 6.7, RFC 9773, and some of none. */
const types = [
  ...['accountDoesNotExist', 'alreadyRevoked', 'badCSR', 'badNonce', 'badPublicKey', 'caa'],
  ...['badRevocationReason', 'badSignatureAlgorithm', 'compound', 'connection', 'dns', 'tls'],
  ...['externalAccountRequired', 'incorrectResponse', 'invalidContact', 'malformed'],
  ...['orderNotReady', 'rateLimited', 'rejectedIdentifier', 'serverInternal', 'unauthorized'],
  ...['unsupportedContact', 'unsupportedIdentifier', 'userActionRequired', 'alreadyReplaced'],
  ...['invalidProfile', 'windowTooShort', 'constructor', 'somethingNew', ''],
]
const { constantFrom, oneof, option, record } = fc
const page = 'https://authority.example/account/7?token=a.b-c'
const urnOf = (type: string) => `urn:ietf:params:acme:error:${type}`
const type = oneof(
  constantFrom(...types.map(urnOf)),
  constantFrom('about:blank', 'https://authority.example/errors/quota', 7, null),
  fc.string(),
)
const detail = oneof(
  constantFrom('Account is not valid, has status "deactivated"', 'Terms of service have changed.'),
  constantFrom(`Your account is temporarily prevented from requesting certificates. Visit ${page}`),
  oneof(fc.string({ maxLength: 40 }), constantFrom(undefined, {}, 'x'.repeat(3000))),
)
const identifier = constantFrom({ type: 'dns', value: 'docs.example.com' }, 'docs', undefined)
const subproblems = oneof(
  fc.array(record({ type, detail, identifier }), { maxLength: 3 }),
  constantFrom('none', undefined),
)
const instance = constantFrom(page, undefined, 3)
const documentOf = (type: fc.Arbitrary<unknown>) =>
  record({ type, detail, instance, subproblems }).map((each) => JSON.stringify(each))
const body = oneof(documentOf(type), fc.json(), constantFrom('', '<h1>403</h1>'))
const status = oneof(constantFrom(400, 401, 403, 404, 429, 500, 503), fc.nat({ max: 599 }))

const fine = evidence().with({ probes: [probe(ourAddress, { kind: 'platform' })] }).evidence
const { at } = fine

function judgeError(error: Error) {
  const failure = classifyFailure(error, { directory, authority: 'authority.example', at })
  const certificate = { expiresAt: undefined, fingerprint: undefined, seen: [] }
  const { problem, retryAt } = failure ?? {}
  const { diagnostics } = judge({ ...fine, certificate: { ...certificate, problem, retryAt } })
  const said = diagnostics.filter(({ code }) => answersOfAuthority.includes(code))
  return { problem, said, text: `${said[0]?.title} ${said[0]?.detail} ${said[0]?.fix?.text}` }
}

const acts =
  /operator of this server has to \w|You don't need to do anything; we retry|We retry automatically|verify the domain|Look for|Use another name/

it.each([...types, undefined])('says who has to act on answer %s to a request', (known) => {
  const answer = record({
    operation: constantFrom(...operations),
    ...{ status, body: known === undefined ? body : documentOf(constantFrom(urnOf(known))) },
    retryAt: option(constantFrom(at, at + 3_600_000), { nil: undefined }),
  })
  fc.assert(
    fc.property(answer, ({ body, operation, retryAt, status }) => {
      const read = parseProblemResponse(status, Buffer.from(body))
      const { problem, said, text } = judgeError(new AcmeProblem(operation, read, retryAt))
      expect(said).toHaveLength(1)
      expect(text).toMatch(acts)
      const isAccount = problem !== undefined && isAboutAccount(problem)
      const isRefusal = problem?.type === 'unauthorized' && problem.status < 429
      if (isAccount || isRefusal) {
        expect(said[0]?.code).toBe('T10')
        expect(text).toMatch(/You don't need to do anything: the operator of this server has to/)
        expect(text).not.toMatch(/countr|firewall/)
      }
      // The operator has to open it.
      if (read.instance !== undefined) expect(text).toContain(read.instance)
    }),
    { numRuns: runs(500) },
  )
})

it('says who has to act on a failed order or validation, and on no answer', () => {
  const failed = fc.tuple(
    record({ body, isOfChallenge: fc.boolean() }),
    record({ operation: constantFrom(...operations), detail: fc.string() }),
  )
  fc.assert(
    fc.property(failed, ([{ body, isOfChallenge }, { detail, operation }]) => {
      const { status: _, ...problem } = parseProblemResponse(403, Buffer.from(body))
      const validation = isOfChallenge ? { challengeType: 'http-01' as const } : undefined
      for (const error of [
        new NotIssued(problem, validation),
        new AcmeNoResponse(operation, 'timeout', detail),
      ]) {
        const { said, text } = judgeError(error)
        expect(said).toHaveLength(1)
        expect(text).toMatch(acts)
      }
    }),
    { numRuns: runs(1000) },
  )
})
