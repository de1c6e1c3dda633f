// Properties for any evidence: judging never throws, and stored evidence gives the same result again.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caaSetIn } from '#dns/caa/find-caa.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { runs } from '../../test/cases.ts'
import type { Evidence, PreparationFacts, Probe, ServerView } from './evidence.ts'
import { at, evidence, ourAddress, target, token } from './evidence-in-test.ts'
import { diagnosisToJson, formatDiagnosis } from './format-diagnosis.ts'
import { answersOfAuthority, judge } from './judge.ts'
import { judgeOwnership } from './ownership.ts'
import { isEarlyProblem } from './preparation-rules.ts'
import { hasAnswer, isSameAnswer, readEvidence } from './reading.ts'

const host = 'docs.example.com'
const { constantFrom, record, array, option, oneof, integer, boolean, string } = fc

const name = oneof(
  constantFrom(
    host,
    target,
    'example.com',
    `${target}.example.com`,
    `_animal-store.${host}`,
    'x.test',
  ),
  fc.domain(),
  string(),
)
const address = oneof(
  constantFrom(ourAddress, '198.51.100.99', '104.16.1.1'),
  fc.ipV4(),
  fc.ipV6(),
  string(),
)
const ttlSeconds = oneof(fc.nat(), constantFrom(-1, 2 ** 40))
const base = { name, ttlSeconds }
const family = constantFrom('A' as const, 'AAAA' as const)
const addressRecord = record({ ...base, type: family, address })
const alias = record({ ...base, type: constantFrom('CNAME' as const), target: name })
const dnsRecord = oneof(
  addressRecord,
  alias,
  record({
    ...base,
    type: constantFrom('TXT' as const),
    strings: array(oneof(string(), constantFrom(token)), { maxLength: 3 }),
  }),
  record({ ...base, type: constantFrom('MX' as const), preference: fc.nat(), target: name }),
)
const caaRecord = record({
  ...base,
  type: constantFrom('CAA' as const),
  flags: integer({ min: 0, max: 255 }),
  tag: oneof(constantFrom('issue', 'issuewild', 'IODEF'), string()),
  value: oneof(constantFrom(';', 'authority.example', 'authority.example; accounturi=x'), string()),
})
const nameFacts: fc.Arbitrary<NameFacts> = oneof(
  record({
    kind: constantFrom('records' as const),
    cname: array(alias, { maxLength: 2 }),
    addresses: array(addressRecord, { maxLength: 3 }),
    others: array(oneof(dnsRecord, caaRecord), { maxLength: 2 }),
  }),
  record({
    kind: constantFrom('nothing' as const),
    rcode: constantFrom('NXDOMAIN' as const, 'NOERROR' as const),
    negativeTtlSeconds: option(ttlSeconds, { nil: undefined }),
  }),
  record({
    kind: constantFrom('failure' as const),
    reason: constantFrom('timeout' as const, 'lame' as const, 'SERVFAIL' as const),
  }),
)
const maybeFacts = option(nameFacts, { nil: undefined })
const serverAddress = record({ name, address, port: fc.nat() })
const view: fc.Arbitrary<ServerView> = record({
  server: serverAddress,
  state: constantFrom(
    'ok' as const,
    'ok' as const,
    'lame' as const,
    'refused' as const,
    'timeout' as const,
  ),
  host: nameFacts,
  doubled: maybeFacts,
  sibling: maybeFacts,
  verification: maybeFacts,
  ms: fc.nat(),
})
const maybeText = option(string(), { nil: undefined })
const probe: fc.Arbitrary<Probe> = record({
  address,
  outcome: oneof(
    record({ kind: constantFrom('platform' as const) }),
    record({
      kind: constantFrom('other' as const),
      status: fc.nat(),
      server: maybeText,
      platform: maybeText,
    }),
    record({ kind: constantFrom('redirect loop' as const), location: string() }),
    record({ kind: constantFrom('no answer' as const, 'not asked' as const), reason: string() }),
  ),
})
const maybeTime = option(oneof(constantFrom(at, at - 4_000_000), fc.maxSafeInteger()), {
  nil: undefined,
})
const certificate = record({
  problem: option(
    record({
      authority: string(),
      type: oneof(
        constantFrom('rateLimited', 'connection', 'unauthorized', 'dns', 'caa', 'badNonce'),
        constantFrom('rejectedIdentifier', 'userActionRequired', 'challengeNotOffered'),
        string(),
      ),
      status: oneof(constantFrom(400, 403, 429, 500), fc.nat()),
      detail: string({ minLength: 1 }),
      at: fc.nat(),
      operation: option(constantFrom('new order', 'finalize order'), { nil: undefined }),
    }).map(({ operation, ...problem }) => ({ ...problem, ...(operation && { operation }) })),
    { nil: undefined },
  ),
  retryAt: maybeTime,
  expiresAt: maybeTime,
  fingerprint: maybeText,
  seen: array(record({ address, fingerprint: string(), issuer: string() }), { maxLength: 2 }),
})

const preparation: fc.Arbitrary<PreparationFacts> = record({
  challenge: record(
    {
      name: constantFrom(`_acme-challenge.${host}`),
      value: oneof(constantFrom(token), string()),
      until: fc.nat(),
      former: record({
        value: string(),
        because: constantFrom('expired' as const, 'refused' as const, 'renewal' as const),
        at: fc.nat(),
      }),
    },
    { requiredKeys: ['name'] },
  ),
  servers: array(record({ server: serverAddress, facts: nameFacts }), { maxLength: 3 }),
  wildcard: maybeFacts,
  doubled: maybeFacts,
  atHost: maybeFacts,
  caaAfter: fc.constant([]),
})

const anyEvidence: fc.Arbitrary<Evidence> = record({
  preparation: option(preparation, { nil: undefined }),
  base: constantFrom(evidence().evidence, evidence({ host: 'example.com' }).evidence),
  servers: array(view, { maxLength: 4 }),
  resolver: option(
    record({
      server: serverAddress,
      host: nameFacts,
      ttlSeconds: fc.option(ttlSeconds, { nil: undefined }),
    }),
    { nil: undefined },
  ),
  caa: array(
    record({
      name,
      isOurTarget: boolean(),
      rcode: constantFrom('NOERROR' as const, 'SERVFAIL' as const, 'not-asked' as const),
      records: array(caaRecord, { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
  chain: array(record({ from: name, to: name }), { maxLength: 12 }),
  probes: array(probe, { maxLength: 3 }),
  certificate,
  claim: record({
    isProven: boolean(),
    addedAt: maybeTime,
    pointedWhenAdded: boolean(),
    heldByOther: constantFrom(
      'no' as const,
      'proves' as const,
      'holds' as const,
      'claims' as const,
      'held' as const,
    ),
    heldBefore: boolean(),
    failingSince: maybeTime,
    partialSince: maybeTime,
  }),
  zone: record({
    delegation: constantFrom('there' as const, 'not there' as const, 'unknown' as const),
    apex: option(name, { nil: undefined }),
    nameServers: array(name, { maxLength: 2 }),
    provider: option(record({ name: string(), hasAlias: boolean() }), { nil: undefined }),
    dnssec: constantFrom('fine' as const, 'broken' as const, 'unknown' as const),
  }),
}).map(({ base, preparation, ...parts }) => ({
  ...{ ...base, ...parts },
  ...(preparation && { preparation }),
}))

/** The evidence as read from storage: without undefined members. */
const kept = (evidence: Evidence): Evidence => JSON.parse(JSON.stringify(evidence)) as Evidence

describe('judge', () => {
  it('never throws, and gives the same result for stored evidence', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const judged = judge(evidence)
        expect(judge(kept(evidence))).toEqual(judged)
        const ownership = judgeOwnership(readEvidence(evidence))
        expect(judgeOwnership(readEvidence(kept(evidence)))).toEqual(ownership)
        for (const { title, detail } of judged.diagnostics) {
          expect(title.length * detail.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: runs(1500) },
    )
  })

  it('deletes at the host only what it has itself, and no CAA', () => {
    const wild = anyEvidence.map((evidence) => {
      const servers = evidence.servers.map((view) => ({ ...view, sibling: view.host }))
      return { ...evidence, servers }
    })
    fc.assert(
      fc.property(oneof(anyEvidence, wild), (evidence) => {
        const isApex = readEvidence(evidence).isApex
        // D05 is about another name.
        const others = judge(evidence).diagnostics.filter(({ code }) => code !== 'D05')
        const removed = others.flatMap(({ fix }) => fix?.remove ?? [])
        expect(removed.filter(({ type }) => type === 'CAA')).toEqual([])
        const own = removed.filter(({ name, type }) => name === host && type !== 'TXT')
        const hasSibling = evidence.servers.some(({ sibling }) => hasAnswer(sibling))
        const isWild = evidence.servers.some((view) => isSameAnswer(view.host, view.sibling))
        if (!isApex && (isWild || !hasSibling)) expect(own).toEqual([])
      }),
      { numRuns: runs(800) },
    )
  })

  it('says why a result is unknown', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { diagnostics, result } = judge(evidence)
        if (result === 'unknown') expect(diagnostics).not.toEqual([])
      }),
      { numRuns: runs(1500) },
    )
  })

  it('says who has to act on an answer of the authority, whatever the check found', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { diagnostics } = judge(evidence)
        const { problem } = evidence.certificate ?? {}
        const isEarly = problem !== undefined && isEarlyProblem(problem.type)
        if (problem === undefined || isEarly || diagnostics[0]?.code === 'D01') return
        const about = diagnostics.filter(({ code }) => answersOfAuthority.includes(code))
        const said = about.filter(({ code }) => code !== 'T09')
        expect(said).toHaveLength(1)
        expect(`${said[0]?.detail} ${said[0]?.fix?.text}`).toMatch(
          /[Oo]perator|verify|We retry|You don't need to do anything|Look for/,
        )
        expect(said[0]?.detail).toContain(problem.detail)
      }),
      { numRuns: 1500 },
    )
  })

  it('lets no order be placed while CAA is not known', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const { diagnostics, result } = judge(evidence)
        if (caaSetIn(evidence.caa) !== 'unknown' || result !== 'ok') return
        expect(diagnostics.map(({ severity }) => severity)).toContain('blocks')
      }),
      { numRuns: runs(800) },
    )
  })

  it('is formatted without terminal control sequences, and as JSON', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const judged = judge(evidence)
        const text = formatDiagnosis(judged, { hasColour: false, formatTime: String })
        expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
        const json = diagnosisToJson(judged)
        expect(JSON.parse(JSON.stringify(json))).toEqual(json)
        for (const line of json.diagnostics.flatMap(({ fix }) => fix?.zoneLines ?? [])) {
          expect(line).toMatch(/^[\x20-\u{10ffff}]*$/u)
        }
      }),
      { numRuns: runs(800) },
    )
  })

  it('proves no ownership when no server responds', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const silent = {
          ...evidence,
          servers: evidence.servers.map((s) => ({ ...s, state: 'timeout' as const })),
        }
        if (silent.servers.length > 0)
          expect(judgeOwnership(readEvidence(silent)).provenBy).toBeUndefined()
      }),
    )
  })
})
