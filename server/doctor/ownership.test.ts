// Twenty ways to take over the domain of another account. Each is refused until the TXT record of the claim exists.
import { describe, expect, it } from 'vitest'
import type { Evidence, ServerView } from './evidence.ts'
import {
  a,
  at,
  cname,
  type EvidenceBuilder,
  evidence,
  facts,
  failure,
  nothing,
  ourAddress,
  probe,
  server,
  target,
  token,
  txt,
} from './evidence-in-test.ts'
import { judgeOwnership, settleDispute } from './ownership.ts'
import { readEvidence } from './reading.ts'
import { judge } from './rules/judge.ts'

const host = 'docs.example.com'
const verificationName = `_animal-store.${host}`
const here = facts(cname(host, target))
const verification = facts(txt(verificationName, token))

const held = () => evidence().claim({ heldByOther: 'holds' })

const takeOvers: Record<string, EvidenceBuilder> = {
  'a record that existed before the domain was added': evidence().claim({ pointedWhenAdded: true }),
  'a name that another account holds': held(),
  'a name that another account has added as well': evidence().claim({ heldByOther: 'claims' }),
  'a name that another account held within 90 days': evidence().claim({ heldByOther: 'held' }),
  'a name held recently by another account, and earlier by this one': evidence().claim({
    heldByOther: 'held',
    heldBefore: true,
    pointedWhenAdded: true,
  }),
  'a record that appears 48 hours later': evidence().claim({ pointerProvesUntil: at }),
  'a name that did not point here for 30 days': evidence().claim({
    hasLapsed: true,
    pointerProvesUntil: at - 1,
  }),
  'a name below a wildcard': evidence().views({ sibling: facts(cname('r.example.com', target)) }),
  'a wildcard of addresses': evidence().views({ sibling: facts(a('r.example.com', ourAddress)) }),
  'a wildcard through another name': evidence()
    .views({ sibling: facts(cname('r.example.com', 'w.example.net')) })
    .with({ chain: [{ from: 'w.example.net', to: target }] }),
  'a wildcard on one of two servers': evidence().with({
    servers: [
      server(1, { host: here }),
      server(2, { host: here, sibling: facts(cname('r.example.com', target)) }),
    ],
  }),
  'a wildcard that cannot be ruled out': evidence().views({ sibling: failure }),
  'a wildcard that was not queried': evidence().views({ sibling: undefined }),
  'a CNAME chain through an expired domain': evidence()
    .holding(facts(cname(host, 'old.example.org')))
    .with({ chain: [{ from: 'old.example.org', to: target }] }),
  'a proxy that forwards all requests': evidence()
    .holding(facts(a(host, '104.16.1.1')))
    .with({ probes: [probe('104.16.1.1', { kind: 'platform' })] }),
  'a web server of the owner that echoes the nonce': evidence()
    .holding(facts(a(host, '192.0.2.1')))
    .with({ probes: [probe('192.0.2.1', { kind: 'platform' })] }),
  'a record on one of two servers': evidence().holding(here, nothing),
  'a record only in the resolver, while the servers do not respond': evidence().views({
    state: 'timeout',
    host: failure,
  }),
  'a record on a lame server': evidence().views({ state: 'lame' }).with({ resolver: undefined }),
  'a name that points elsewhere': evidence().holding(facts(cname(host, 'sites.elsewhere.example'))),
  "another account's TXT record": held().views({
    verification: facts(txt(verificationName, 'as-proof-b3RoZXI')),
  }),
  'a TXT record through a wildcard CNAME to a server of the attacker': held().views({
    verification: facts(
      cname(verificationName, 'attacker.example'),
      txt('attacker.example', token),
    ),
  }),
  'a TXT record of the same text below an alias of the name': held().views({
    verification: facts(cname(verificationName, 'attacker.example'), txt(verificationName, token)),
  }),
  'a TXT record on one of two servers': held().with({
    servers: [server(1, { host: here, verification }), server(2, { host: here })],
  }),
  'a TXT record on a lame server': held().with({
    servers: [server(1, { host: here, verification, state: 'lame' }), server(2, { host: here })],
  }),
  'a TXT record at another name': held().views({
    verification: facts(txt('_animal-store.example.com', token)),
  }),
  'a TXT record with text besides the token': held().views({
    verification: facts(txt(verificationName, `${token} x`)),
  }),
}

const withProof = ({ evidence }: EvidenceBuilder): Evidence => ({
  ...evidence,
  servers: evidence.servers.map((view): ServerView => ({ ...view, state: 'ok', verification })),
})

describe('a take-over', () => {
  it.each(Object.entries(takeOvers))('is refused until TXT: %s', (_, given) => {
    const before = judgeOwnership(readEvidence(given.evidence))
    expect(before.provenBy).toBeUndefined()
    expect(before.reasons).not.toEqual([])
    expect(judgeOwnership(readEvidence(withProof(given))).provenBy).toBe('txt')
  })

  it('shows the required TXT record whenever the other DNS records are correct', () => {
    for (const { evidence } of Object.values(takeOvers)) {
      const { diagnostics, result } = judge(evidence)
      const { reasons } = judgeOwnership(readEvidence(evidence))
      const isSaid = diagnostics.some(({ detail, fix }) => `${detail} ${fix?.text}`.includes('TXT'))
      const isQuiet = reasons.every((reason) => ['unsure', 'no pointer'].includes(reason))
      if (result === 'ok' && !isQuiet) expect(isSaid).toBe(true)
    }
  })
})

describe('verification with one record', () => {
  const ways: Record<string, EvidenceBuilder> = {
    'a CNAME that appeared after the name was added': evidence(),
    'a name that this account held before': evidence().claim({
      pointedWhenAdded: true,
      heldBefore: true,
    }),
    'ALIAS at the top of a zone': evidence({ host: 'example.com' }),
    'one of two servers that does not respond': evidence().with({
      servers: [server(1, { host: here }), server(2, { state: 'timeout', host: failure })],
    }),
  }
  it.each(Object.entries(ways))('proves: %s', (_, { evidence }) => {
    expect(judgeOwnership(readEvidence(evidence))).toMatchObject({
      provenBy: 'pointer',
      reasons: [],
    })
  })

  it('proves nothing for a name without a claim', () => {
    const unclaimed = evidence().claim({ addedAt: undefined })
    expect(judgeOwnership(readEvidence(unclaimed.evidence)).provenBy).toBeUndefined()
    expect(judgeOwnership(readEvidence(withProof(unclaimed))).provenBy).toBeUndefined()
  })
})

describe('settleDispute', () => {
  const by = (view: Partial<ServerView>) =>
    judgeOwnership(readEvidence(held().views(view).evidence))
  const [proven, pointing, unheard] = [by({ verification }), by({}), by({ verification: failure })]

  it.each([
    ['the challenger proves and the holder does not', pointing, proven, 'challenger'],
    ['both prove', proven, proven, 'holder'],
    ['neither proves', pointing, pointing, 'holder'],
    ["the holder's verification could not be looked up", unheard, proven, 'holder'],
    ["the challenger's verification could not be looked up", pointing, unheard, 'holder'],
  ] as const)('when %s', (_, holder, challenger, winner) => {
    expect(settleDispute(holder, challenger)).toBe(winner)
  })
})
