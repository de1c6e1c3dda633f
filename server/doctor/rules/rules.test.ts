// What the doctor says in each situation: when a rule applies, and, in similar ones, that it does not. The words that users
// see stand in rules.expected.txt, for each situation the result, the diagnostics in order, and what a fix removes.
// `npm test -- rules -u` writes that file anew: read what has changed in it.
// long: one table of situations, read from top to bottom.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DnsRecord } from '#dns/messages/exchange.ts'
import { type NameFacts, renamed } from '#dns/name-servers/name-facts.ts'
import type { HttpsRecord } from '#dns/resolution/find-https.ts'
import {
  type CertificateFacts,
  type Evidence,
  noIpv6,
  type PreparationFacts,
  type Probe,
  type ServerView,
} from '../evidence.ts'
import {
  a,
  at,
  caa,
  cname,
  type EvidenceBuilder,
  evidence,
  facts,
  failure,
  mx,
  nothing,
  ourAddress,
  ourIpv6,
  probe,
  server,
  target,
  token,
  txt,
} from '../evidence-in-test.ts'
import { readPropagation } from '../propagation-clock.ts'
import { hasOtherSite } from '../reading.ts'
import { zoneLine } from '../wording.ts'
import { formatDiagnosis } from './format-diagnosis.ts'
import { findPreparationBlocker, judge, rules } from './judge.ts'

const host = 'docs.example.com'
const apex = () => evidence({ host: 'example.com' })
const pointedTo = (name: string) =>
  evidence()
    .holding(facts(cname(host, name)))
    .with({ probes: [] })
const addressedTo = (...addresses: string[]) =>
  evidence().holding(facts(...addresses.map((each) => a(host, each))))
const apexAt = (...addresses: string[]) =>
  apex().holding(facts(...addresses.map((each) => a('example.com', each))))
const foreign = '192.0.2.1'
const cloudflare = '104.16.1.1'
const here = facts(cname(host, target))
const authority = 'authority.example'
const provider = (hasAlias: boolean) => ({ provider: { name: 'Somewhere DNS', hasAlias } })
type Bogus = NonNullable<Evidence['zone']['bogus']>
const bogus = (name: string, type: Bogus['type'], zone: string, isWhole = false) => ({
  dnssec: 'broken' as const,
  bogus: { name, type, zone, isWhole },
})
/** The name servers that the zone and its delegation list. */
const lists = ({ own, parent }: { own: number[]; parent: number[] }) => {
  const named = (numbers: number[]) => numbers.map((n) => `ns${n}.example.net`)
  return { ownNames: named(own), parentNames: named(parent) }
}
/** A CNAME record that a DNAME record makes. */
const made = (name: string, above: string, to: string): DnsRecord => {
  const dname = { name: above, target: to }
  return { name, ttlSeconds: 300, type: 'CNAME', target: renamed(name, dname), dname }
}
const pointing = (to: string, ttlSeconds: number) => facts({ ...cname(host, to), ttlSeconds })
const absent = (rcode: 'NXDOMAIN' | 'NOERROR', negativeTtlSeconds?: number): NameFacts => {
  return { kind: 'nothing', rcode, negativeTtlSeconds }
}
const other = (address: string, platform?: string, name?: string, status = 200) =>
  probe(address, { kind: 'other', status, server: name, platform })

const led = (
  name: string,
  priority: number,
  to: string,
  hints: string[],
  addresses: string[],
): HttpsRecord => ({ name, priority, target: to, hints, addresses })

type CaaRecord = ReturnType<typeof caa>
const step = (name: string, records: CaaRecord[], isOurTarget = false) => ({
  name,
  isOurTarget,
  rcode: 'NOERROR' as const,
  records,
})
const zoneCaa = (tag: string, value: string, flags?: number) =>
  caa('example.com', tag, value, flags)
const caaAt = (...records: CaaRecord[]) =>
  evidence().with({ caa: [step(host, []), step('example.com', records)] })

const leCaaAt = (...records: CaaRecord[]) =>
  caaAt(...records).platform({
    authorities: [{ domain: 'letsencrypt.org', methods: ['http-01', 'tls-alpn-01'] }],
  })

const certificate = (changes: Partial<CertificateFacts>): CertificateFacts => ({
  problem: undefined,
  retryAt: undefined,
  expiresAt: undefined,
  fingerprint: undefined,
  seen: [],
  ...changes,
})
const problem = (type: string, status = 403, operation?: string, detail = 'No.') =>
  certificate({
    problem: { authority, type, status, detail, at, ...(operation && { operation }) },
    retryAt: at + 60_000,
  })
const served = (fingerprint: string) =>
  certificate({
    fingerprint: 'aa',
    seen: [{ address: ourAddress, fingerprint, issuer: 'Other CA' }],
  })

const challengeName = `_acme-challenge.${host}`
const challengeValue = 'LPsIwTo7o8BoG0-vjCyGQGBWSVIPxI-i_X336eUOQZo'
const set = facts(txt(challengeName, challengeValue))
const old = 'sites.burrow.example'
const empty = absent('NOERROR', 900)

const probed = (given: EvidenceBuilder, ...probes: Probe[]) => given.with({ probes })
const answering = (outcome: Probe['outcome']) => probed(evidence(), probe(ourAddress, outcome))
const proxied = (outcome: Probe['outcome']) =>
  probed(addressedTo(cloudflare), probe(cloudflare, outcome))
const held = () => evidence().claim({ heldByOther: 'held' })
const cached = (host: NameFacts, ttlSeconds: number) => ({
  resolver: { server: { address: '192.0.2.53', port: 53 }, host, ttlSeconds },
})
/** No name server of the zone was asked, nor the resolver. */
const unasked = () => evidence().with({ servers: [], resolver: undefined })
const withServers = (...servers: ServerView[]) => evidence().with({ servers })
const refusing = server(2, { state: 'refused', host: failure })
const unusable = (
  ...servers: [n: number, fault: NonNullable<Evidence['zone']['unusable']>[number]['fault']][]
) => ({
  unusable: servers.map(([n, fault]) => ({ name: `ns${n}.example.net`, fault })),
})
const refused = (facts: CertificateFacts) => evidence().with({ certificate: facts })

/** While the value is not known. */
const unvalued: Partial<PreparationFacts> = { challenge: { name: challengeName } }
const formerly = (value: string, because: 'expired' | 'refused'): Partial<PreparationFacts> => ({
  challenge: { name: challengeName, value: challengeValue, former: { value, because, at } },
})
const caaAfter = (zone: Evidence['caa'][number]): Partial<PreparationFacts> => ({
  caaAfter: [step('docs.animals.example', [], true), zone],
})

/** A certificate before the switch, with what each name server has at the name of the challenge: a site elsewhere. */
function preparing(views: NameFacts[], { challenge, ...more }: Partial<PreparationFacts> = {}) {
  const preparation: PreparationFacts = {
    challenge: challenge ?? { name: challengeName, value: challengeValue, until: at + 86_400_000 },
    servers: views.map((view, i) => ({ server: server(i + 1).server, facts: view })),
    wildcard: nothing,
    doubled: nothing,
    atHost: nothing,
    caaAfter: [],
    ...more,
  }
  return pointedTo(old).with({ preparation, probes: [] })
}
const refusedBy = (type: string, detail: string) =>
  preparing([nothing], unvalued).with({
    certificate: certificate({
      problem: { authority, type, status: 403, detail, at, retryAt: at + 1000 },
    }),
  })

/** An apex at whose ALIAS so many of two servers fail, while they answer for the zone. */
function failingAlone(count: number, reason: 'SERVFAIL' | 'lame' = 'SERVFAIL') {
  const servers = [1, 2].map((i) =>
    i > count
      ? server(i, { host: facts(a('example.com', ourAddress)) })
      : server(i, {
          state: reason === 'lame' ? reason : 'error',
          host: { kind: 'failure', reason },
        }),
  )
  const asked = { name: 'example.com', type: 'A' } as const
  const answers = reason === 'lame' ? [a('example.com', ourAddress)] : []
  const empty = { answers, authorities: [], additionals: [], extendedErrors: [] }
  const flags = { isTruncated: false, offersRecursion: false, isAuthenticated: false }
  const isAuthoritative = reason !== 'lame'
  const response = { rcode: 'NOERROR' as const, isAuthoritative, ...flags, ...empty }
  const exchanges = servers.map((view) => ({
    ...{ server: view.server, question: asked, transport: 'udp' as const, at, ms: 3, response },
    ...{ wantsRecursion: false, isCheckingDisabled: false },
  }))
  return apex().with({ servers, exchanges })
}

/** Those in which a rule applies begin with its code. */
const situations: Record<string, EvidenceBuilder> = {
  'M01: the platform that it points to now forbids our authority': preparing([nothing]).with({
    caa: [step(host, []), step(old, [caa(old, 'issue', 'other.example')])],
  }),
  'M01: that platform allows our authority, but not this method': preparing([nothing]).with({
    caa: [
      step(host, []),
      step(old, [caa(old, 'issue', 'authority.example; validationmethods=http-01')]),
    ],
  }),
  'M02: another platform validates there': preparing(
    [facts(cname(challengeName, 'docs.abc.dcv.cloudflare.com'))],
    unvalued,
  ),
  'M02: it is below a DNAME record': preparing([facts(made(challengeName, 'com', 'com.test'))]),
  'M02: it is a zone of its own': preparing([nothing], { apex: challengeName }),
  'M02: it is a zone of its own, at servers that were not found': preparing([], {
    apex: challengeName,
  }),
  'M03: one of four name servers does not have it': preparing([set, set, nothing, set]),
  'M03: none has it': preparing([nothing, nothing]),
  'M03: one does not answer': preparing([set, failure, set]),
  'M04: the order ended before the record was set': preparing(
    [nothing],
    formerly('before', 'expired'),
  ),
  'M04: the authority refused the value before, which is still there': preparing(
    [facts(txt(challengeName, 'before'))],
    formerly('before', 'refused'),
  ),
  'M09: the quotes became part of the value': preparing([
    facts(txt(challengeName, `"${challengeValue}"`)),
  ]),
  'M09: the name was appended twice': preparing([nothing], {
    doubled: facts(txt(`${challengeName}.example.com`, challengeValue)),
  }),
  'M09: it is at the host itself': preparing([nothing], {
    atHost: facts(txt(host, challengeValue)),
  }),
  'M09: it is at the zone, without the subdomain': preparing([nothing], {
    atApex: facts(txt('_acme-challenge.example.com', challengeValue)),
  }),
  'M09: there is only the record of another service': preparing([
    facts(txt(challengeName, 'of another')),
  ]),
  'M10: the zone allows DNS-01 only': preparing(
    [set],
    caaAfter(step('example.com', [zoneCaa('issue', `${authority}; validationmethods=dns-01`)])),
  ),
  'M10: the zone was not asked for CAA': preparing(
    [set],
    caaAfter({ ...step('example.com', []), rcode: 'not-asked' }),
  ),
  'M11: the order ends too soon': refusedBy('windowTooShort', 'The order ends after 8 min.'),
  'M12: the authority has no such challenge': refusedBy('challengeNotOffered', 'It has none.'),
  'M13: a wildcard with a CNAME answers for it': preparing([facts(cname(challengeName, old))], {
    ...unvalued,
    wildcard: facts(cname(`random.${host}`, old)),
  }).views({ sibling: facts(cname('random.example.com', old)) }),
  'M13: a wildcard with addresses answers for it': preparing([empty], {
    ...unvalued,
    wildcard: empty,
  }).views({
    host: facts(a(host, foreign)),
    sibling: facts(a('random.example.com', foreign)),
  }),
  'nothing is wrong while the certificate is prepared, and DNS points elsewhere': preparing([
    set,
    set,
  ]),
  'a wildcard answers at the name of the challenge with a CNAME': preparing(
    Array(2).fill(facts(cname(challengeName, 'elsewhere.example'))),
    { ...unvalued, wildcard: facts(cname(`random.${host}`, 'elsewhere.example')) },
  ),
  'D01: the host is a platform host': evidence({ host: 'shop.animals.example' }),
  'D01: it is below the platform host': evidence({ host: `tour.${target}` }),
  'D02: the parent zone has no such domain': unasked().zone({ delegation: 'not there' }),
  'D03: the servers fail for this name alone': failingAlone(2),
  'D03: one server fails for this name alone': failingAlone(1),
  'D03: one of two servers answers as a resolver': failingAlone(1, 'lame'),
  'D03: both answer without authority': failingAlone(0, 'lame'),
  'D03: one of two servers is lame': withServers(
    server(1, { host: here }),
    server(2, { state: 'lame' }),
  ),
  'D03: no server responds': evidence()
    .views({ state: 'timeout', host: failure })
    .with({ resolver: undefined }),
  'D03: two have no address that can be asked, one can': withServers(
    server(1, { host: here }),
  ).zone(unusable([2, 'no address'], [3, 'private address'])),
  'D03: one has no address, the other has IPv6 only, as this machine has not': unasked().zone({
    cut: host,
    ...unusable([1, 'no address'], [2, 'only IPv6']),
  }),
  'D03: only a machine with IPv6 can ask': unasked().zone(unusable([1, 'only IPv6'])),
  'D03: the one that refuses is in the zone, and not in its delegation': withServers(
    server(1, { host: here }),
    refusing,
  ).zone(lists({ own: [1, 2], parent: [1] })),
  'D03: the one that refuses is in the delegation, and not in the zone': withServers(
    server(1, { host: here }),
    refusing,
  ).zone(lists({ own: [1], parent: [1, 2] })),
  'D03: the check ended before anything was known': unasked().with({ isCutShort: true }),
  'D04: DNSSEC signatures are invalid': evidence().zone({ dnssec: 'broken' }),
  'D04: a signature of the host is missing': evidence().zone(bogus(host, 'A', 'example.com')),
  'D04: CAA of the zone has no proof, although visitors see the host': evidence().zone(
    bogus('example.com', 'CAA', 'example.com'),
  ),
  'D04: the check ended before it was known': evidence().zone({ dnssec: 'not asked' }),
  'D04: a zone below the registered domain': evidence({ host: 'docs.team.example.com' }).zone({
    ...bogus('team.example.com', 'SOA', 'team.example.com', true),
    apex: 'team.example.com',
  }),
  'D04: the zone of another name in the chain': pointedTo('page.elsewhere.example')
    .with({ chain: [{ from: 'page.elsewhere.example', to: target }] })
    .zone(bogus('page.elsewhere.example', 'A', 'elsewhere.example')),
  'D04: the zone of the platform': evidence().zone(bogus(target, 'A', 'animals.example', true)),
  'D05: the full name was entered as the label': evidence()
    .holding(nothing)
    .views({ doubled: facts(cname(`${host}.example.com`, target)) }),
  'D06: the value has no trailing dot': pointedTo(`${target}.example.com`),
  'D07: there is no record': evidence().holding(nothing),
  'D07: there is no record in a zone below the registered domain': evidence({
    host: 'docs.team.example.com',
  })
    .holding(nothing)
    .zone({ apex: 'team.example.com', nameServers: ['ns1.example.net', 'ns2.example.net'] }),
  'D07: there are only MX records': evidence().holding(facts(mx(host))),
  'D07: the apex has no address': apex().holding(facts(mx('example.com'))),
  'D08: two of four servers have the record': evidence().holding(here, here, nothing, nothing),
  'D08: one server still has the old address': evidence().holding(here, facts(a(host, foreign))),
  'D08: it lasts more than an hour': evidence()
    .holding(here, nothing)
    .claim({ partialSince: at - 3_700_000 }),
  'D08: the late one is in the zone, and not in its delegation': evidence()
    .holding(here, facts(a(host, foreign)))
    .zone(lists({ own: [1, 2], parent: [1] })),
  'D09: the resolver has the old record cached': evidence().with(
    cached(facts(a(host, foreign)), 120),
  ),
  'D10: there is an address': addressedTo(foreign),
  'D10: there is an address beside mail': evidence().holding(facts(a(host, foreign), mx(host))),
  'D10: there are two': addressedTo(foreign, '2001:db8::99'),
  'D10: the apex points elsewhere': apexAt(foreign),
  'D10: addresses elsewhere, at a provider that flattens CNAMEs': addressedTo(foreign).zone(
    provider(true),
  ),
  'D11: a TXT record exists with the CNAME': evidence().holding(
    facts(cname(host, target), txt(host, 'x')),
  ),
  'D11: there are two': evidence().holding(
    facts(cname(host, target), cname(host, 'other.example')),
  ),
  'D11: CAA stands beside it': evidence().holding(
    facts(cname(host, target), caa(host, 'issue', authority)),
  ),
  'D11: CAA and TXT stand beside it': evidence().holding(
    facts(cname(host, target), caa(host, 'issue', authority), txt(host, 'x')),
  ),
  'D12: one letter differs': pointedTo('docs.animal.example'),
  'D12: it is the address of one project': pointedTo(`tour.${target}`),
  'D12: it is another platform': pointedTo('sites.elsewhere.example'),
  'D12: the CNAME comes from a DNAME record': pointedTo('docs.new.example').holding(
    facts(made(host, 'example.com', 'new.example')),
  ),
  'D13: the CNAME points to a name whose addresses reach us': probed(
    pointedTo('example.com'),
    probe(ourAddress, { kind: 'platform' }),
  ),
  'D12: a cache has our addresses from another CNAME': probed(
    pointedTo('gone.example.com'),
    probe(ourAddress, { kind: 'platform' }),
  ).with(cached(here, 60)),
  'D13: the CNAME points through another name': pointedTo('old.example.org').with({
    chain: [{ from: 'old.example.org', to: target }],
  }),
  'D14: it goes round': pointedTo('x.example.org').with({
    chain: [{ from: 'x.example.org', to: host }],
  }),
  'D14: it has nine names': pointedTo('n1.example').with({
    chain: [1, 2, 3, 4, 5, 6, 7].map((n) => ({ from: `n${n}.example`, to: `n${n + 1}.example` })),
  }),
  'D15: the CNAME is at the zone apex': apex().holding(
    facts(cname('example.com', target), mx('example.com')),
  ),
  'D15: the subdomain is a separate zone': evidence().zone({ apex: host }),
  'D16: an apex has our addresses': apex(),
  'D16: a subdomain has one of our addresses': addressedTo(ourAddress),
  'D16: a subdomain has all of our addresses, as a flattened CNAME does': addressedTo(
    ourAddress,
    ourIpv6,
  ),
  'D16: a subdomain has all of our addresses, and no flattened CNAME': addressedTo(
    ourAddress,
    ourIpv6,
  ).zone(provider(false)),
  'D16: a subdomain with mail has our addresses': evidence().holding(
    facts(a(host, ourAddress), mx(host)),
  ),
  'D17: the provider lacks ALIAS': apex().holding(nothing).zone(provider(false)),
  'D18: one of two addresses is not ours': apexAt(ourAddress, foreign),
  'D19: IPv6 is another machine': apexAt(ourAddress, '2001:db8::99'),
  'D20: a proxy forwards requests': proxied({ kind: 'platform' }),
  'D21: a proxy does not forward requests': proxied({ kind: 'redirect loop', location: '/' }),
  'D21: a header identifies the proxy': probed(
    addressedTo(foreign),
    other(foreign, undefined, 'Sucuri/Cloudproxy', 403),
  ),
  'D22: another platform answers': probed(evidence(), other(ourAddress, 'Burrow Pages', 'x')),
  'D26: browsers are led to another name': apexAt(ourAddress).with({
    https: [led('example.com', 0, old, [], [foreign])],
    probes: [other(foreign)],
  }),
  'D26: browsers are led to addresses in the record': evidence().with({
    https: [led(host, 1, host, [foreign], [])],
    probes: [probe(foreign, { kind: 'not asked', reason: 'it is not a public address' })],
  }),
  'D26: the record is at the end of a chain': pointedTo('way.gulls.example').with({
    https: [led('way.gulls.example', 1, old, [], [foreign])],
    chain: [{ from: 'way.gulls.example', to: target }],
    probes: [other(foreign)],
  }),
  'D23: any name points to us': evidence().views({
    sibling: facts(cname('r4nd0m.example.com', target)),
  }),
  'D24: another account holds it': evidence().claim({ heldByOther: 'holds' }),
  'D24: it was released recently': held(),
  'D24: whether it is a wildcard is unknown': evidence().views({ sibling: failure }),
  'D24: whether the TXT record is there is unknown': held().views({ verification: failure }),
  'D24: it pointed here before': evidence().claim({ pointedWhenAdded: true }),
  'D25: it is quoted twice': held().views({
    verification: facts(txt(`_animal-store.${host}`, `"${token}"`)),
  }),
  'D25: it is at the host': held().holding(facts(a(host, ourAddress), txt(host, token))),
  'D25: the zone was appended to its name': held().views({
    doubledVerification: facts(txt(`_animal-store.${host}.example.com`, token)),
  }),
  'C01: only other authorities are listed': caaAt(zoneCaa('issue', 'other-ca.example')),
  'C01: in the zone above that of the host': evidence({ host: 'docs.team.example.com' })
    .zone({ apex: 'team.example.com' })
    .with({ caa: [step('example.com', [zoneCaa('issue', 'other-ca.example')])] }),
  'C01: in a zone below the registered domain': evidence({ host: 'docs.team.example.com' })
    .zone({ apex: 'team.example.com' })
    .with({
      caa: [step('team.example.com', [caa('team.example.com', 'issue', 'other-ca.example')])],
    }),
  'C02: no authority is allowed': caaAt(zoneCaa('issue', ';')),
  'C02: a dot after the name': caaAt(zoneCaa('issue', `${authority}.`)),
  'C02: an address of a page': caaAt(zoneCaa('issue', `https://${authority}`)),
  'C02: two names in one record': caaAt(zoneCaa('issue', `${authority}, pki.example`)),
  'C02: quotes in the value': caaAt(zoneCaa('issue', `"${authority}"`)),
  'C02: a space in a list of methods': caaAt(
    zoneCaa('issue', `${authority}; validationmethods=http-01, dns-01`),
  ),
  'C02: a semicolon after a parameter': caaAt(
    zoneCaa('issue', `${authority}; validationmethods=http-01;`),
  ),
  'C01: ours is malformed, beside another': caaAt(
    zoneCaa('issue', `${authority}; policy`),
    zoneCaa('issue', 'other-ca.example'),
  ),
  'C03: the record of the platform host forbids it': evidence().with({
    caa: [step(target, [caa(target, 'issue', ';')], true)],
  }),
  'C04: another account is named': caaAt(
    zoneCaa('issue', `${authority}; accounturi=https://authority.example/acct/2`),
  ),
  'C04: only DNS may validate': caaAt(zoneCaa('issue', `${authority}; validationmethods=dns-01`)),
  'C05: a critical tag is unknown': caaAt(zoneCaa('issue', authority), zoneCaa('tbs', 'x', 128)),
  'C06: the query fails': evidence().with({ caa: [{ ...step(host, []), rcode: 'SERVFAIL' }] }),
  'C06: it was not asked to the end': evidence().with({
    caa: [step(host, []), { ...step('example.com', []), rcode: 'not-asked' }],
  }),
  'C07: it is about wildcards': caaAt(zoneCaa('issuewild', ';')),
  "C08: Let's Encrypt in capitals": leCaaAt(zoneCaa('issue', 'LetsEncrypt.org')),
  'C08: a hyphen in the tag of a parameter': leCaaAt(
    zoneCaa('issue', 'letsencrypt.org; validation-methods=http-01'),
  ),
  'C08: flags 1 on an unknown tag': leCaaAt(
    zoneCaa('issue', 'letsencrypt.org'),
    zoneCaa('tbs', 'x', 1),
  ),
  "capitals, where Let's Encrypt is not asked": caaAt(zoneCaa('issue', 'Authority.Example')),
  'T01: the port is closed': answering({ kind: 'no answer', reason: 'timed out' }),
  'T02: it goes round': answering({ kind: 'redirect loop', location: `https://${host}/` }),
  'T03: another server answers': probed(
    evidence(),
    other(ourAddress, undefined, 'Apache/2.4', 404),
  ),
  'T04: the authority gets another response': refused(problem('connection')),
  'T04: the name servers did not answer the check, so that nothing is known': evidence()
    .views({ state: 'timeout', host: failure })
    .with({ certificate: problem('dns'), resolver: undefined, probes: [] }),
  'T04: the authority could not look it up': refused({
    ...problem('dns', 400, undefined, `DNS problem: SERVFAIL looking up CAA for ${host}`),
    retryAt: undefined,
  }),
  'T05: the rate limit is exceeded': refused(problem('rateLimited', 429)),
  'T06: the authority fails': refused(problem('serverInternal', 500)),
  'T06: it does not respond': refused(problem('noAnswer', 503)),
  'T06: what concerned only the time before the switch': refused(problem('challengeNotOffered')),
  'T07: the name is refused': refused(problem('rejectedIdentifier')),
  'T07: names of this kind are refused': refused(problem('unsupportedIdentifier')),
  'T08: another certificate is seen': refused(served('bb')),
  'T09: it ends and renewing fails': refused({
    ...problem('orderNotReady'),
    expiresAt: at + 3 * 86_400_000,
  }),
  'T10: the terms have changed': refused(problem('userActionRequired', 403, 'new order')),
  'T10: the host is paused': refused(
    problem(
      'rateLimited',
      429,
      'new order',
      `It is paused. Visit https://${authority}/unpause?a=b.`,
    ),
  ),
  'T10: it accepts customers only': refused(problem('externalAccountRequired')),
  'T10: the account is deactivated': refused(problem('unauthorized', 403, 'new order')),
  'T10: it sees other CAA records': refused(problem('caa')),
  'T10: the request is refused for any other reason': refused(problem('badCSR')),
  'D08: each server answers something else': evidence().holding(
    pointing(target, 9000),
    pointing('old.example', 60),
    absent('NXDOMAIN', 300),
    absent('NOERROR'),
    failure,
  ),
  'D10: of a host beyond ASCII': evidence({ host: 'docs.bücher.de' }).holding(
    facts(a('docs.xn--bcher-kva.de', foreign)),
  ),
  'D10: another site responds': probed(addressedTo(foreign), other(foreign)),
  'D10: the check ended before that was known': addressedTo(foreign).with({
    probes: [],
    isCutShort: true,
  }),
  'D07: the check ended early': evidence().holding(nothing).with({ probes: [], isCutShort: true }),
  'everything is correct': evidence(),
  'it is a check without a claim': evidence()
    .claim({ addedAt: undefined })
    .platform({ verification: undefined }),
  'the name of a private suffix is not delegated': evidence({ host: 'x.foo.github.io' }).zone({
    delegation: 'not there',
    apex: 'github.io',
  }),
  'delegation could not be seen': evidence().zone({ delegation: 'unknown' }),
  'this machine has no IPv6': evidence().with({
    servers: [
      server(1, { host: here }),
      server(2, {
        state: 'timeout',
        host: failure,
        server: { name: 'ns1.example.net', address: '2001:db8::53', port: 53 },
      }),
    ],
  }),
  'D03: no zone above answered': unasked(),
  'an HTTPS record with our addresses, and one that could not be asked': evidence().with({
    https: [led(host, 1, host, [ourAddress], []), led(host, 2, old, [], ['2606:2800:220::80'])],
    probes: [probe('2606:2800:220::80', { kind: 'not asked', reason: noIpv6 })],
  }),
  'only the resolver responded': evidence().with({ servers: [] }),
  'one server fails and others respond': evidence().holding(here, failure),
  'the other name has only MX records': evidence()
    .holding(nothing)
    .views({ doubled: facts(txt(`${host}.example.com`, 'x')) }),
  'the response includes the target': evidence().holding(
    facts(cname(host, target), a(target, ourAddress)),
  ),
  'signatures exist with the CNAME': evidence().holding(
    facts(cname(host, target), { name: host, ttlSeconds: 1, type: 'TYPE46', data: '00' }),
  ),
  'IPv4 and IPv6 both point to us': apexAt(ourAddress, ourIpv6),
  'IPv4 points elsewhere, IPv6 to us': apexAt(foreign, ourIpv6),
  'a provider has ALIAS': apex().holding(nothing).zone(provider(true)),
  'it points to us already': apex().zone(provider(false)),
  'a subdomain of a provider without ALIAS': evidence().holding(nothing).zone(provider(false)),
  'the wildcard points elsewhere': evidence().views({
    sibling: facts(a('r.example.com', foreign)),
  }),
  'a wildcard beside an apex': apex().views({ sibling: facts(cname('r.example.com', target)) }),
  'a wildcard exists and TXT proves ownership': evidence().views({
    sibling: facts(cname('r.example.com', target)),
    verification: facts(txt(`_animal-store.${host}`, token)),
  }),
  'another TXT record exists where none is required': evidence().views({
    verification: facts(txt(`_animal-store.${host}`, 'x')),
  }),
  'the authority is one of those listed': caaAt(
    zoneCaa('issue', 'other.example'),
    zoneCaa('issue', authority),
  ),
  'CAA names our account': caaAt(
    zoneCaa(
      'issue',
      `${authority}; accounturi=https://${authority}/acct/1; validationmethods=http-01`,
    ),
  ),
  'CAA reports only': caaAt(zoneCaa('iodef', 'mailto:x@example.com')),
  'an unknown tag is not critical': caaAt(zoneCaa('tbs', 'x')),
  'a nearer CAA set decides': evidence().with({
    caa: [
      step(host, [caa(host, 'issue', authority)]),
      { ...step('example.com', []), rcode: 'SERVFAIL' },
    ],
  }),
  'no address could be queried': answering({ kind: 'not asked', reason: 'private' }),
  'the port of a foreign address is closed': probed(
    addressedTo(foreign),
    probe(foreign, { kind: 'no answer', reason: 'x' }),
  ),
  'the authority failed and so does our probe': answering({ kind: 'no answer', reason: 'x' }).with({
    certificate: problem('connection'),
  }),
  'the served certificate is the issued one': refused(served('aa')),
  'eight days are left': refused({ ...problem('orderNotReady'), expiresAt: at + 8 * 86_400_000 }),
  'records of another platform remain': probed(
    addressedTo(foreign),
    other(foreign, 'Burrow Pages', 'b'),
  ),
}

const options = {
  hasColour: false,
  formatTime: (time: number) => new Date(time).toISOString().slice(0, 16),
}

/** What is said, and what the text does not show. */
function describeSituation(title: string, { evidence: given }: EvidenceBuilder): string {
  const diagnosis = judge(given)
  const { diagnostics, reading, result } = diagnosis
  const { cachedUntil, responding, updated } = readPropagation(reading)
  const isElsewhere = { true: 'yes', false: 'no', null: 'unknown' }[`${hasOtherSite(reading)}`]
  return [
    `# ${title}`,
    `result: ${result}; another site: ${isElsewhere}; ${updated} of ${responding} name servers`,
    ...(cachedUntil === undefined ? [] : [`elsewhere until: ${options.formatTime(cachedUntil)}`]),
    ...(given.preparation
      ? [`blocks the order: ${findPreparationBlocker(diagnosis) ?? 'nothing'}`]
      : []),
    ...diagnostics.flatMap(({ code, fix }) =>
      (fix?.remove ?? []).map((record) => `${code} removes: ${zoneLine(record)}`),
    ),
    formatDiagnosis(diagnosis, options),
  ].join('\n')
}

it('what is said in each situation', async () => {
  const said = Object.entries(situations).map(([title, given]) => describeSituation(title, given))
  await expect(said.join('\n')).toMatchFileSnapshot('rules.expected.txt')
})

const codesOf = (title: string) => /^[A-Z]\d\d(?=: )/.exec(title)?.[0] ?? []

it('each rule applies in its own situations', () => {
  for (const [title, given] of Object.entries(situations)) {
    const codes = judge(given.evidence).diagnostics.map(({ code }) => code)
    expect(codes, title).toEqual(expect.arrayContaining([codesOf(title)].flat()))
  }
  const tested = new Set(Object.keys(situations).flatMap(codesOf))
  expect([...tested].toSorted()).toEqual(Object.keys(rules).toSorted())
})

it('all rules are in the tables of the guide, each in a row of its own', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/domains.md'), 'utf8')
  const tables = /### What can prevent it[\s\S]*?\n## |## Diagnostics[\s\S]*?\n## /g
  const rows = (guide.match(tables) ?? []).join('').matchAll(/^\| (\S+) \| \S.* \| \S.* \|$/gm)
  const codes = Array.from(rows, ([, code]) => code).filter((code) => code !== 'Code')
  expect(codes.toSorted()).toEqual(Object.keys(rules).toSorted())
})

it('rules keep their order: records that point to us are judged before conflicts', () => {
  const codes = Object.keys(rules)
  const first = ['D26', 'D16', 'D20', 'D21']
  for (const code of first) expect(codes.indexOf(code)).toBeLessThan(codes.indexOf('D10'))
  const rest = codes.filter((code) => !first.includes(code))
  const place = (code: string) => 'MDCT'.indexOf(code.charAt(0)) * 100 + Number(code.slice(1))
  expect(rest).toEqual(rest.toSorted((x, y) => place(x) - place(y)))
})
