// Properties for any evidence: judging never throws, and stored evidence gives the same result again.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caaSetIn } from '#dns/caa/find-caa.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { runs } from '../../../test/cases.ts'
import type { Evidence, PreparationFacts, Probe, ServerView } from '../evidence.ts'
import { at, evidence, ourAddress, target, token } from '../evidence-in-test.ts'
import { judgeOwnership } from '../ownership.ts'
import { hasResponse, isSameResponse, readEvidence } from '../reading.ts'
import { diagnosisToJson, formatDiagnosis } from './format-diagnosis.ts'
import { answersOfAuthority, judge } from './judge.ts'

const host = 'docs.example.com'
const { record, array, oneof, integer, boolean, string } = fc
const constantFrom = <const T>(...values: T[]) => fc.constantFrom(...values)
const option = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })

const names = [host, target, 'example.com', `${target}.example.com`, `_animal-store.${host}`]
const name = oneof(fc.constantFrom(...names, 'x.test'), fc.domain(), string())
const address = oneof(constantFrom(ourAddress, '104.16.1.1'), fc.ipV4(), fc.ipV6(), string())
const ttlSeconds = oneof(fc.nat(), constantFrom(-1, 2 ** 40))
const base = { name, ttlSeconds }
const family = constantFrom('A', 'AAAA')
const addressRecord = record({ ...base, type: family, address })
const alias = record({ ...base, type: constantFrom('CNAME'), target: name })
const dnsRecord = oneof(
  addressRecord,
  alias,
  record({
    ...base,
    type: constantFrom('TXT'),
    strings: array(oneof(string(), constantFrom(token)), { maxLength: 3 }),
  }),
  record({ ...base, type: constantFrom('MX'), preference: fc.nat(), target: name }),
)
const caaRecord = record({
  ...base,
  type: constantFrom('CAA'),
  flags: integer({ min: 0, max: 255 }),
  tag: oneof(constantFrom('issue', 'issuewild', 'IODEF'), string()),
  value: oneof(constantFrom(';', 'authority.example', 'authority.example; accounturi=x'), string()),
})
const nameFacts: fc.Arbitrary<NameFacts> = oneof(
  record({
    kind: constantFrom('records'),
    cname: array(alias, { maxLength: 2 }),
    addresses: array(addressRecord, { maxLength: 3 }),
    others: array(oneof(dnsRecord, caaRecord), { maxLength: 2 }),
  }),
  record({
    kind: constantFrom('nothing'),
    rcode: constantFrom('NXDOMAIN', 'NOERROR'),
    negativeTtlSeconds: option(ttlSeconds),
  }),
  record({ kind: constantFrom('failure'), reason: constantFrom('timeout', 'lame', 'SERVFAIL') }),
)
const maybeFacts = option(nameFacts)
const serverAddress = record({ name, address, port: fc.nat() })
const view: fc.Arbitrary<ServerView> = record({
  server: serverAddress,
  state: constantFrom('ok', 'ok', 'lame', 'refused', 'timeout'),
  host: nameFacts,
  doubled: maybeFacts,
  sibling: maybeFacts,
  verification: maybeFacts,
  ms: fc.nat(),
})
const maybeText = option(string())
const probe: fc.Arbitrary<Probe> = record({
  address,
  outcome: oneof(
    record({ kind: constantFrom('platform') }),
    record({
      kind: constantFrom('other'),
      status: fc.nat(),
      server: maybeText,
      platform: maybeText,
    }),
    record({ kind: constantFrom('redirect loop'), location: string() }),
    record({ kind: constantFrom('no answer', 'not asked'), reason: string() }),
  ),
})
const maybeTime = option(oneof(constantFrom(at, at - 4_000_000), fc.maxSafeInteger()))
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
      operation: option(constantFrom('new order', 'finalize order')),
    }).map(({ operation, ...problem }) => ({ ...problem, ...(operation && { operation }) })),
  ),
  retryAt: maybeTime,
  expiresAt: maybeTime,
  fingerprint: maybeText,
  seen: array(record({ address, fingerprint: string(), issuer: string() }), { maxLength: 2 }),
})

const because = constantFrom('expired', 'refused', 'renewal')
const preparation: fc.Arbitrary<PreparationFacts> = record({
  challenge: record(
    {
      name: constantFrom(`_acme-challenge.${host}`),
      value: oneof(constantFrom(token), string()),
      until: fc.nat(),
      former: record({ value: string(), because, at: fc.nat() }),
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
  preparation: option(preparation),
  base: constantFrom(evidence().evidence, evidence({ host: 'example.com' }).evidence),
  servers: array(view, { maxLength: 4 }),
  resolver: option(
    record({ server: serverAddress, host: nameFacts, ttlSeconds: option(ttlSeconds) }),
  ),
  caa: array(
    record({
      name,
      isOurTarget: boolean(),
      rcode: constantFrom('NOERROR', 'SERVFAIL', 'not-asked'),
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
    heldByOther: constantFrom('no', 'proves', 'holds', 'claims', 'held'),
    heldBefore: boolean(),
    failingSince: maybeTime,
    partialSince: maybeTime,
  }),
  zone: record({
    delegation: constantFrom('there', 'not there', 'unknown'),
    apex: option(name),
    nameServers: array(name, { maxLength: 2 }),
    provider: option(record({ name: string(), hasAlias: boolean() })),
    dnssec: constantFrom('fine', 'broken', 'unknown'),
    bogus: record({
      name,
      type: constantFrom('SOA', 'A', 'AAAA', 'CAA'),
      zone: name,
      isWhole: boolean(),
    }),
    cut: option(name),
    parentNames: array(name, { maxLength: 2 }),
    ownNames: array(name, { maxLength: 2 }),
    unusable: array(
      record({ name, fault: constantFrom('no address', 'private address', 'only IPv6') }),
      { maxLength: 2 },
    ),
  }),
}).map(({ base, preparation, ...parts }) => ({
  ...{ ...base, ...parts },
  ...(preparation && { preparation }),
}))

/** The evidence as read from storage: without undefined members. */
const kept = (evidence: Evidence): Evidence => JSON.parse(JSON.stringify(evidence)) as Evidence

function holds(numRuns: number, given: typeof anyEvidence, check: (each: Evidence) => void): void {
  fc.assert(fc.property(given, check), { numRuns })
}

describe('judge', () => {
  it('never throws, and gives the same result for stored evidence', () => {
    holds(runs(1500), anyEvidence, (evidence) => {
      const judged = judge(evidence)
      expect(judge(kept(evidence))).toEqual(judged)
      const ownership = judgeOwnership(readEvidence(evidence))
      expect(judgeOwnership(readEvidence(kept(evidence)))).toEqual(ownership)
      for (const { title, detail } of judged.diagnostics) {
        expect(title.length * detail.length).toBeGreaterThan(0)
      }
    })
  })

  it('deletes at the host only what it has itself, and no CAA', () => {
    const wild = anyEvidence.map((evidence) => {
      const servers = evidence.servers.map((view) => ({ ...view, sibling: view.host }))
      return { ...evidence, servers }
    })
    holds(runs(800), oneof(anyEvidence, wild), (evidence) => {
      const isApex = readEvidence(evidence).isApex
      // D05 is about another name.
      const others = judge(evidence).diagnostics.filter(({ code }) => code !== 'D05')
      const removed = others.flatMap(({ fix }) => fix?.remove ?? [])
      expect(removed.filter(({ type }) => type === 'CAA')).toEqual([])
      const own = removed.filter(({ name, type }) => name === host && type !== 'TXT')
      // What a server says that refuses, or is not responsible, is no evidence.
      const asked = evidence.servers.filter(({ state }) => state === 'ok')
      const hasSibling = asked.some(({ sibling }) => hasResponse(sibling))
      const isWild = asked.some((view) => isSameResponse(view.host, view.sibling))
      if (!isApex && (isWild || !hasSibling)) expect(own).toEqual([])
    })
  })

  it('says why a result is unknown', () => {
    holds(runs(1500), anyEvidence, (evidence) => {
      const { diagnostics, result } = judge(evidence)
      if (result !== 'unknown') return
      const reasons = diagnostics.filter(({ code }) => ['D01', 'D03', 'D04'].includes(code))
      expect(reasons.map(({ severity }) => severity)).toContainEqual(
        expect.stringMatching(/blocks|waits/),
      )
    })
  })

  it('says who has to act on an answer of the authority, whatever the check found', () => {
    holds(1500, anyEvidence, (evidence) => {
      const { diagnostics } = judge(evidence)
      const { problem } = evidence.certificate ?? {}
      if (problem === undefined || diagnostics[0]?.code === 'D01') return
      // M11 and M12 say it before the switch.
      const codes = [...answersOfAuthority, 'M11', 'M12']
      const about = diagnostics.filter(({ code }) => codes.includes(code))
      const said = about.filter(({ code }) => code !== 'T09')
      expect(said).toHaveLength(1)
      expect(`${said[0]?.detail} ${said[0]?.fix?.text}`).toMatch(
        /[Oo]perator|verify|We retry|You don't need to do anything|Look for/,
      )
      expect(said[0]?.detail).toContain(problem.detail)
    })
  })

  it('lets no order be placed while CAA is not known', () => {
    holds(runs(800), anyEvidence, (evidence) => {
      const { diagnostics, result } = judge(evidence)
      if (caaSetIn(evidence.caa) !== 'unknown' || result !== 'ok') return
      expect(diagnostics.map(({ severity }) => severity)).toContain('blocks')
    })
  })

  it('is formatted without terminal control sequences, and as JSON', () => {
    holds(runs(800), anyEvidence, (evidence) => {
      const judged = judge(evidence)
      const text = formatDiagnosis(judged, { hasColour: false, formatTime: String })
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
      const json = diagnosisToJson(judged)
      expect(JSON.parse(JSON.stringify(json))).toEqual(json)
      for (const line of json.diagnostics.flatMap(({ fix }) => fix?.zoneLines ?? [])) {
        expect(line).toMatch(/^[\x20-\u{10ffff}]*$/u)
      }
    })
  })

  it('proves no ownership when no server responds', () => {
    holds(100, anyEvidence, (evidence) => {
      const servers = evidence.servers.map((s) => ({ ...s, state: 'timeout' as const }))
      expect(judgeOwnership(readEvidence({ ...evidence, servers })).provenBy).toBeUndefined()
    })
  })
})
