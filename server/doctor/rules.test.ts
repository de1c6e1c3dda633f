// Each rule: situations in which it applies, with the text that users see, and similar ones in which it must not.
// long: one table of situations, read from top to bottom.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Evidence } from './evidence.ts'
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
} from './evidence-in-test.ts'
import { type DnsResult, judge, rules } from './judge.ts'
import { preparationSituations } from './preparation-situations-in-test.ts'
import { hasOtherSite, readEvidence } from './reading.ts'

const host = 'docs.example.com'
const apex = () => evidence({ host: 'example.com' })
const foreign = '192.0.2.1'
const cloudflare = '104.16.1.1'
const here = facts(cname(host, target))
const authority = 'authority.example'
const provider = (hasAlias: boolean) => ({ provider: { name: 'Somewhere DNS', hasAlias } })
const caaAt = (...records: ReturnType<typeof caa>[]) =>
  evidence().with({
    caa: [
      { name: host, isOurTarget: false, rcode: 'NOERROR', records: [] },
      { name: 'example.com', isOurTarget: false, rcode: 'NOERROR', records },
    ],
  })
const problem = (type: string, status = 403, operation?: string) => ({
  problem: { authority, type, status, detail: 'No.', at, ...(operation && { operation }) },
  retryAt: at + 60_000,
  expiresAt: undefined,
  fingerprint: undefined,
  seen: [],
})

interface Situation {
  when: string
  given: EvidenceBuilder
  says: RegExp[]
  result?: DnsResult
  /** Whether it is the first diagnostic. The default is true. */
  isHeadline?: false
}

const speaks: Record<string, Situation[]> = {
  ...preparationSituations,
  D01: [
    {
      when: 'the host is a platform host',
      given: evidence({ host: 'shop.animals.example' }),
      says: [/shop\.animals\.example cannot be a custom domain/, /Enter a domain of your own/],
      result: 'unknown',
    },
    {
      when: 'it is below the platform host',
      given: evidence({ host: `tour.${target}` }),
      says: [/belongs to this platform/],
    },
  ],
  D02: [
    {
      when: 'the parent zone has no such domain',
      given: evidence()
        .zone({ delegation: 'not there' })
        .with({ servers: [], resolver: undefined }),
      says: [/example\.com is not registered, or has expired/, /renew it at its registrar/],
      result: 'missing',
    },
  ],
  D03: [
    {
      when: 'one of two servers is lame',
      given: evidence().with({
        servers: [server(1, { host: here }), server(2, { state: 'lame' })],
      }),
      says: [
        /1 of 2 name servers of example\.com cannot/,
        /ns2\.example\.net \(203\.0\.113\.2\) does not hold the zone/,
      ],
      result: 'ok',
    },
    {
      when: 'no server responds',
      given: evidence().views({ state: 'timeout', host: failure }).with({ resolver: undefined }),
      says: [/No name server of example\.com answers/, /unknown; we will check again/],
      result: 'unknown',
    },
  ],
  D04: [
    {
      when: 'DNSSEC signatures are invalid',
      given: evidence().zone({ dnssec: 'broken' }),
      says: [/DNSSEC of example\.com is broken/, /remove its DS record/],
      result: 'unknown',
    },
  ],
  D05: [
    {
      when: 'the full name was entered as the label',
      given: evidence()
        .holding(nothing)
        .views({ doubled: facts(cname(`${host}.example.com`, target)) }),
      says: [/created at docs\.example\.com\.example\.com/, /Enter nothing after docs/],
      result: 'missing',
    },
  ],
  D06: [
    {
      when: 'the value has no trailing dot',
      given: evidence().holding(facts(cname(host, `${target}.example.com`))),
      says: [/example\.com was added to the value/, /dot at its end: docs\.animals\.example\./],
      result: 'wrong_target',
    },
  ],
  D07: [
    {
      when: 'there is no record',
      given: evidence().holding(nothing),
      says: [/docs\.example\.com has no record yet/, /name docs, value docs\.animals\.example/],
      result: 'missing',
    },
    {
      when: 'there are only MX records',
      given: evidence().holding(facts(mx(host))),
      says: [/It has MX mail\.example\.com/],
      result: 'missing',
    },
    {
      when: 'the apex has no address',
      given: apex().holding(facts(mx('example.com'))),
      says: [/no address/, /ALIAS or ANAME record: name @/],
      result: 'missing',
    },
  ],
  D08: [
    {
      when: 'two of four servers have the record',
      given: evidence().holding(here, here, nothing, nothing),
      says: [
        /2 of 4 name servers have the record/,
        /ns3\.example\.net and ns4\.example\.net do not/,
      ],
      result: 'partial',
    },
    {
      when: 'one server still has the old address',
      given: evidence().holding(here, facts(a(host, foreign))),
      says: [/1 of 2 name servers have/],
      result: 'partial',
    },
    {
      when: 'it lasts more than an hour',
      given: evidence()
        .holding(here, nothing)
        .claim({ partialSince: at - 3_700_000 }),
      says: [/example\.com does not synchronise/, /why ns2\.example\.net did not/],
      result: 'partial',
    },
  ],
  D09: [
    {
      when: 'the resolver has the old record cached',
      given: evidence().with({
        resolver: {
          server: { address: '192.0.2.53', port: 53 },
          host: facts(a(host, foreign)),
          ttlSeconds: 120,
        },
      }),
      says: [
        /The record is correct; caches still have the old one/,
        /You don't need to do anything/,
      ],
      result: 'ok',
    },
  ],
  D10: [
    {
      when: 'there is an address',
      given: evidence().holding(facts(a(host, foreign))),
      says: [
        /The A record 192\.0\.2\.1 conflicts/,
        /Delete the A record 192\.0\.2\.1\. Then add a CNAME/,
      ],
      result: 'conflict',
    },
    {
      when: 'there are two',
      given: evidence().holding(facts(a(host, foreign), a(host, '2001:db8::99'))),
      says: [/2 address records .* conflict/, /A 192\.0\.2\.1 and AAAA 2001:db8::99/],
      result: 'conflict',
    },
    {
      when: 'the apex points elsewhere',
      given: apex().holding(facts(a('example.com', foreign))),
      says: [/conflicts/, /Then add an ALIAS or ANAME/],
      result: 'conflict',
    },
  ],
  D11: [
    {
      when: 'a TXT record exists with the CNAME',
      given: evidence().holding(facts(cname(host, target), txt(host, 'x'))),
      says: [
        /other records beside its CNAME/,
        /CNAME docs\.animals\.example and TXT/,
        /delete TXT x at docs\.example\.com/,
      ],
      result: 'conflict',
    },
    {
      when: 'there are two',
      given: evidence().holding(facts(cname(host, target), cname(host, 'other.example'))),
      says: [/has 2 CNAME records/],
      result: 'conflict',
    },
  ],
  D12: [
    {
      when: 'one letter differs',
      given: evidence().holding(facts(cname(host, 'docs.animal.example'))),
      says: [
        /points to docs\.animal\.example, and must point to exactly docs\.animals\.example/,
        /differ in few/,
      ],
      result: 'wrong_target',
    },
    {
      when: 'it is the address of one project',
      given: evidence().holding(facts(cname(host, `tour.${target}`))),
      says: [/the address of one project/],
      result: 'wrong_target',
    },
    {
      when: 'it is another platform',
      given: evidence().holding(facts(cname(host, 'sites.elsewhere.example'))),
      says: [/visitors of docs\.example\.com do not reach us/],
      result: 'wrong_target',
    },
  ],
  D13: [
    {
      when: 'the CNAME points through another name',
      given: evidence()
        .holding(facts(cname(host, 'old.example.org')))
        .with({ chain: [{ from: 'old.example.org', to: target }] }),
      says: [/points to us through old\.example\.org/, /a TXT record is required/],
      result: 'ok',
    },
  ],
  D14: [
    {
      when: 'it goes round',
      given: evidence()
        .holding(facts(cname(host, 'x.example.org')))
        .with({ chain: [{ from: 'x.example.org', to: host }] }),
      says: [/is in a loop/, /docs\.example\.com → x\.example\.org → docs\.example\.com/],
      result: 'wrong_target',
    },
    {
      when: 'it has nine names',
      given: evidence()
        .holding(facts(cname(host, 'n1.example')))
        .with({
          chain: [1, 2, 3, 4, 5, 6, 7].map((n) => ({
            from: `n${n}.example`,
            to: `n${n + 1}.example`,
          })),
        }),
      says: [/chain of .* has 9 names/],
    },
  ],
  D15: [
    {
      when: 'the CNAME is at the zone apex',
      given: apex().holding(facts(cname('example.com', target), mx('example.com'))),
      says: [/has a CNAME, and is the top of its zone/, /mail for @example\.com/, /ALIAS or ANAME/],
      result: 'conflict',
    },
    {
      when: 'the subdomain is a separate zone',
      given: evidence().zone({ apex: host }),
      says: [/top of its zone/],
    },
  ],
  D16: [
    {
      when: 'an apex has our addresses',
      given: apex(),
      says: [/example\.com points to us by its addresses/],
      result: 'ok',
    },
    {
      when: 'an address is a former platform address',
      given: apex().holding(facts(a('example.com', '198.51.100.99'), a('example.com', ourAddress))),
      says: [
        /an address that docs\.animals\.example no longer has/,
        /Delete the A record 198\.51\.100\.99/,
      ],
      result: 'conflict',
    },
    {
      when: 'a subdomain has our addresses',
      given: evidence().holding(facts(a(host, ourAddress))),
      says: [/will not follow when ours change/],
      result: 'ok',
    },
  ],
  D17: [
    {
      when: 'the provider lacks ALIAS',
      given: apex().holding(nothing).zone(provider(false)),
      says: [/Somewhere DNS has no ALIAS record/, /cannot follow another name/],
      isHeadline: false,
    },
  ],
  D18: [
    {
      when: 'one of two addresses is not ours',
      given: apex().holding(facts(a('example.com', ourAddress), a('example.com', foreign))),
      says: [/1 of 2 addresses of example\.com point/, /Delete A 192\.0\.2\.1/],
      result: 'conflict',
    },
  ],
  D19: [
    {
      when: 'IPv6 is another machine',
      given: apex().holding(facts(a('example.com', ourAddress), a('example.com', '2001:db8::99'))),
      says: [
        /IPv6 of example\.com points elsewhere/,
        /may try IPv6 first/,
        /Delete AAAA 2001:db8::99/,
      ],
      result: 'conflict',
    },
  ],
  D20: [
    {
      when: 'a proxy forwards requests',
      given: evidence()
        .holding(facts(a(host, cloudflare)))
        .with({ probes: [probe(cloudflare, { kind: 'platform' })] }),
      says: [/points to us through Cloudflare/, /strict/],
      result: 'ok',
      isHeadline: false,
    },
  ],
  D21: [
    {
      when: 'a proxy does not forward requests',
      given: evidence()
        .holding(facts(a(host, cloudflare)))
        .with({ probes: [probe(cloudflare, { kind: 'redirect loop', location: '/' })] }),
      says: [/Cloudflare stands in front/, /in a redirect loop/, /DNS only.*acme-challenge/],
      result: 'wrong_target',
    },
    {
      when: 'a header identifies the proxy',
      given: evidence()
        .holding(facts(a(host, foreign)))
        .with({
          probes: [
            probe(foreign, {
              kind: 'other',
              status: 403,
              server: 'Sucuri/Cloudproxy',
              platform: undefined,
            }),
          ],
        }),
      says: [/Sucuri stands in front/],
    },
  ],
  D22: [
    {
      when: 'another platform answers',
      given: evidence().with({
        probes: [
          probe(ourAddress, { kind: 'other', status: 200, server: 'x', platform: 'Burrow Pages' }),
        ],
      }),
      says: [
        /Burrow Pages answers for docs\.example\.com/,
        /Remove docs\.example\.com from the project at Burrow/,
      ],
      result: 'ok',
    },
  ],
  D23: [
    {
      when: 'any name points to us',
      given: evidence().views({ sibling: facts(cname('r4nd0m.example.com', target)) }),
      says: [
        /Wildcard \*\.example\.com points to us/,
        new RegExp(`name docs, .* name _animal-store\\.docs, value ${token}`),
      ],
      result: 'ok',
    },
  ],
  D24: [
    {
      when: 'another account holds it',
      given: evidence().claim({ heldByOther: 'holds' }),
      says: [
        /Another account holds docs\.example\.com/,
        /Add a TXT record: name _animal-store\.docs,/,
      ],
    },
    {
      when: 'it was released recently',
      given: evidence().claim({ heldByOther: 'held' }),
      says: [/within the last 90 days/],
    },
    {
      when: 'it pointed here before',
      given: evidence().claim({ pointedWhenAdded: true }),
      says: [/pointed here before it was added/],
    },
  ],
  D25: [
    {
      when: 'it is quoted twice',
      given: evidence()
        .claim({ heldByOther: 'held' })
        .views({ verification: facts(txt(`_animal-store.${host}`, `"${token}"`)) }),
      says: [
        /is not the one that proves/,
        /quotes became part of the value/,
        /Delete the TXT record/,
      ],
      isHeadline: false,
    },
    {
      when: 'it is at the host',
      given: evidence()
        .claim({ heldByOther: 'held' })
        .holding(facts(a(host, ourAddress), txt(host, token))),
      says: [/TXT record is at docs\.example\.com, not at _animal-store\.docs/],
      isHeadline: false,
    },
    {
      when: 'the zone was appended to its name',
      given: evidence()
        .claim({ heldByOther: 'held' })
        .views({ doubledVerification: facts(txt(`_animal-store.${host}.example.com`, token)) }),
      says: [/added the zone to the name once more/],
      isHeadline: false,
    },
  ],
  C01: [
    {
      when: 'only other authorities are listed',
      given: caaAt(caa('example.com', 'issue', 'other-ca.example')),
      says: [
        /CAA at example\.com allows only other-ca\.example/,
        /name @, value 0 issue "authority\.example"/,
      ],
      result: 'ok',
    },
  ],
  C02: [
    {
      when: 'no authority is allowed',
      given: caaAt(caa('example.com', 'issue', ';')),
      says: [/forbids every authority/, /Keep what is there: 0 issue ";"/],
    },
  ],
  C03: [
    {
      when: 'the record of the platform host forbids it',
      given: evidence().with({
        caa: [
          {
            name: target,
            isOurTarget: true,
            rcode: 'NOERROR',
            records: [caa(target, 'issue', ';')],
          },
        ],
      }),
      says: [/the operator must fix it/, /don't need to do anything/],
    },
  ],
  C04: [
    {
      when: 'another account is named',
      given: caaAt(
        caa('example.com', 'issue', `${authority}; accounturi=https://authority.example/acct/2`),
      ),
      says: [
        /to another account/,
        /accounturi=https:\/\/authority\.example\/acct\/1; validationmethods=http-01,tls-alpn-01/,
      ],
    },
    {
      when: 'only DNS may validate',
      given: caaAt(caa('example.com', 'issue', `${authority}; validationmethods=dns-01`)),
      says: [/to other methods of validation/],
    },
  ],
  C05: [
    {
      when: 'a critical tag is unknown',
      given: caaAt(caa('example.com', 'issue', authority), caa('example.com', 'tbs', 'x', 128)),
      says: [/critical tag that no authority knows/, /The tag "tbs"/],
    },
  ],
  C06: [
    {
      when: 'the query fails',
      given: evidence().with({
        caa: [{ name: host, isOurTarget: false, rcode: 'SERVFAIL', records: [] }],
      }),
      says: [/fail when asked for CAA at docs\.example\.com/, /answer SERVFAIL/],
    },
    {
      when: 'it was not asked to the end',
      given: evidence().with({
        caa: [
          { name: host, isOurTarget: false, rcode: 'NOERROR', records: [] },
          { name: 'example.com', isOurTarget: false, rcode: 'not-asked', records: [] },
        ],
      }),
      says: [/CAA at example\.com is not known yet/, /No certificate is requested until/],
    },
  ],
  C07: [
    {
      when: 'it is about wildcards',
      given: caaAt(caa('example.com', 'issuewild', ';')),
      says: [/restricts only wildcards/],
    },
  ],
  T01: [
    {
      when: 'the port is closed',
      given: evidence().with({
        probes: [probe(ourAddress, { kind: 'no answer', reason: 'timed out' })],
      }),
      says: [/Port 80 of 198\.51\.100\.10 does not answer/, /timed out/, /firewall/],
      result: 'ok',
    },
  ],
  T02: [
    {
      when: 'it goes round',
      given: evidence().with({
        probes: [probe(ourAddress, { kind: 'redirect loop', location: `https://${host}/` })],
      }),
      says: [/redirects in a loop/, /"flexible"/],
    },
  ],
  T03: [
    {
      when: 'another server answers',
      given: evidence().with({
        probes: [
          probe(ourAddress, {
            kind: 'other',
            status: 404,
            server: 'Apache/2.4',
            platform: undefined,
          }),
        ],
      }),
      says: [/Another server answers/, /answered 404/, /"Apache\/2\.4"/],
    },
  ],
  T04: [
    {
      when: 'the authority gets another response',
      given: evidence().with({ certificate: problem('connection') }),
      says: [
        /works from here, but authority\.example cannot reach it/,
        /firewall that blocks by country/,
      ],
    },
    {
      when: 'the name servers did not answer the check, so that nothing is known',
      given: evidence()
        .views({ state: 'timeout', host: failure })
        .with({ certificate: problem('dns'), resolver: undefined, probes: [] }),
      says: [/authority\.example could not validate docs/, /answered dns: No/, /then verify/],
      result: 'unknown',
      isHeadline: false,
    },
  ],
  T05: [
    {
      when: 'the rate limit is exceeded',
      given: evidence().with({ certificate: problem('rateLimited', 429) }),
      says: [/limits requests/, /Do not remove and add/, /visit a page, the operator has to/],
    },
  ],
  T06: [
    {
      when: 'the authority fails',
      given: evidence().with({ certificate: problem('serverInternal', 500) }),
      says: [/an internal error/, /we retry/],
    },
  ],
  T07: [
    {
      when: 'the name is refused',
      given: evidence().with({ certificate: problem('rejectedIdentifier') }),
      says: [/does not issue for docs\.example\.com/, /No other authority is configured/],
    },
    {
      when: 'names of this kind are refused',
      given: evidence().with({ certificate: problem('unsupportedIdentifier') }),
      says: [/does not issue for docs\.example\.com/],
    },
  ],
  T08: [
    {
      when: 'another certificate is seen',
      given: evidence().with({
        certificate: {
          ...problem(''),
          problem: undefined,
          fingerprint: 'aa',
          seen: [{ address: ourAddress, fingerprint: 'bb', issuer: 'Other CA' }],
        },
      }),
      says: [/Another certificate is presented at 198\.51\.100\.10/, /from Other CA/],
    },
  ],
  T09: [
    {
      when: 'it ends and renewing fails',
      given: evidence().with({
        certificate: { ...problem('orderNotReady'), expiresAt: at + 3 * 86_400_000 },
      }),
      says: [/expires in 3 days/, /Renewal fails/],
    },
  ],
  T10: [
    {
      when: 'the terms have changed',
      given: evidence().with({ certificate: problem('userActionRequired', 403, 'new order') }),
      says: [/answered userActionRequired: No/, /operator has to open the page/],
    },
    {
      when: 'it accepts customers only',
      given: evidence().with({ certificate: problem('externalAccountRequired') }),
      says: [/operator has to set ACME_EAB to/],
    },
    {
      when: 'the account is deactivated',
      given: evidence().with({ certificate: problem('unauthorized', 403, 'new order') }),
      says: [/operator has to ask the authority why it does not accept the account/],
    },
    {
      when: 'it sees other CAA records',
      given: evidence().with({ certificate: problem('caa') }),
      says: [/Compare the CAA records at all name servers/],
    },
    {
      when: 'the request is refused for any other reason',
      given: evidence().with({ certificate: problem('badCSR') }),
      says: [/operator has to fix what the answer names\. Your DNS is not the cause/],
    },
  ],
}

/** Similar situations, with the exact diagnostics. */
const neighbours: [string, EvidenceBuilder, string[], DnsResult][] = [
  ['everything is correct', evidence(), [], 'ok'],
  [
    'it is a check without a claim',
    evidence().claim({ addedAt: undefined }).platform({ verification: undefined }),
    [],
    'ok',
  ],
  [
    'the name of a private suffix is not delegated',
    evidence({ host: 'x.foo.github.io' }).zone({ delegation: 'not there', apex: 'github.io' }),
    [],
    'ok',
  ],
  ['delegation could not be seen', evidence().zone({ delegation: 'unknown' }), [], 'ok'],
  [
    'this machine has no IPv6',
    evidence().with({
      servers: [
        server(1, { host: here }),
        server(2, {
          state: 'timeout',
          host: failure,
          server: { name: 'ns1.example.net', address: '2001:db8::53', port: 53 },
        }),
      ],
    }),
    [],
    'ok',
  ],
  [
    'no server responded',
    evidence().with({ servers: [], resolver: undefined }),
    ['D03'],
    'unknown',
  ],
  ['only the resolver responded', evidence().with({ servers: [] }), [], 'ok'],
  ['one server fails and others respond', evidence().holding(here, failure), [], 'ok'],
  [
    'the other name has only MX records',
    evidence()
      .holding(nothing)
      .views({ doubled: facts(txt(`${host}.example.com`, 'x')) }),
    ['D07'],
    'missing',
  ],
  [
    'the response includes the target',
    evidence().holding(facts(cname(host, target), a(target, ourAddress))),
    [],
    'ok',
  ],
  [
    'signatures exist with the CNAME',
    evidence().holding(
      facts(cname(host, target), { name: host, ttlSeconds: 1, type: 'TYPE46', data: '00' }),
    ),
    [],
    'ok',
  ],
  [
    'IPv4 and IPv6 both point to us',
    apex().holding(facts(a('example.com', ourAddress), a('example.com', ourIpv6))),
    ['D16'],
    'ok',
  ],
  [
    'IPv4 points elsewhere, IPv6 to us',
    apex().holding(facts(a('example.com', foreign), a('example.com', ourIpv6))),
    ['D18'],
    'conflict',
  ],
  ['a provider has ALIAS', apex().holding(nothing).zone(provider(true)), ['D07'], 'missing'],
  ['it points to us already', apex().zone(provider(false)), ['D16'], 'ok'],
  [
    'a subdomain of a provider without ALIAS',
    evidence().holding(nothing).zone(provider(false)),
    ['D07'],
    'missing',
  ],
  [
    'the wildcard points elsewhere',
    evidence().views({ sibling: facts(a('r.example.com', foreign)) }),
    [],
    'ok',
  ],
  [
    'a wildcard beside an apex',
    apex().views({ sibling: facts(cname('r.example.com', target)) }),
    ['D16'],
    'ok',
  ],
  [
    'a wildcard exists and TXT proves ownership',
    evidence().views({
      sibling: facts(cname('r.example.com', target)),
      verification: facts(txt(`_animal-store.${host}`, token)),
    }),
    [],
    'ok',
  ],
  [
    'another TXT record exists where none is required',
    evidence().views({ verification: facts(txt(`_animal-store.${host}`, 'x')) }),
    [],
    'ok',
  ],
  [
    'the authority is one of those listed',
    caaAt(caa('example.com', 'issue', 'other.example'), caa('example.com', 'issue', authority)),
    [],
    'ok',
  ],
  [
    'CAA names our account',
    caaAt(
      caa(
        'example.com',
        'issue',
        `${authority}; accounturi=https://authority.example/acct/1; validationmethods=http-01`,
      ),
    ),
    [],
    'ok',
  ],
  ['CAA reports only', caaAt(caa('example.com', 'iodef', 'mailto:x@example.com')), [], 'ok'],
  ['an unknown tag is not critical', caaAt(caa('example.com', 'tbs', 'x')), [], 'ok'],
  [
    'a nearer CAA set decides',
    evidence().with({
      caa: [
        {
          name: host,
          isOurTarget: false,
          rcode: 'NOERROR',
          records: [caa(host, 'issue', authority)],
        },
        { name: 'example.com', isOurTarget: false, rcode: 'SERVFAIL', records: [] },
      ],
    }),
    [],
    'ok',
  ],
  [
    'no address could be queried',
    evidence().with({ probes: [probe(ourAddress, { kind: 'not asked', reason: 'private' })] }),
    [],
    'ok',
  ],
  [
    'the port of a foreign address is closed',
    evidence()
      .holding(facts(a(host, foreign)))
      .with({ probes: [probe(foreign, { kind: 'no answer', reason: 'x' })] }),
    ['D10'],
    'conflict',
  ],
  [
    'the authority failed and so does our probe',
    evidence().with({
      certificate: problem('connection'),
      probes: [probe(ourAddress, { kind: 'no answer', reason: 'x' })],
    }),
    ['T01', 'T04'],
    'ok',
  ],
  [
    'the served certificate is the issued one',
    evidence().with({
      certificate: {
        ...problem(''),
        problem: undefined,
        fingerprint: 'aa',
        seen: [{ address: ourAddress, fingerprint: 'aa', issuer: 'x' }],
      },
    }),
    [],
    'ok',
  ],
  [
    'eight days are left',
    evidence().with({
      certificate: { ...problem('orderNotReady'), expiresAt: at + 8 * 86_400_000 },
    }),
    ['T10'],
    'ok',
  ],
  [
    'records of another platform remain',
    evidence()
      .holding(facts(a(host, foreign)))
      .with({
        probes: [
          probe(foreign, { kind: 'other', status: 200, server: 'b', platform: 'Burrow Pages' }),
        ],
      }),
    ['D10', 'D22'],
    'conflict',
  ],
]

const words = ({ evidence }: { evidence: Evidence }, code: string) => {
  const diagnostic = judge(evidence).diagnostics.find((each) => each.code === code)
  return diagnostic && [diagnostic.title, diagnostic.detail, diagnostic.fix?.text ?? ''].join('\n')
}

describe.each(Object.entries(speaks))('%s', (code, situations) => {
  it.each(situations)('applies when $when', ({ given, says, result, isHeadline }) => {
    const text = words(given, code)
    for (const said of says) expect(text).toMatch(said)
    const judged = judge(given.evidence)
    if (isHeadline !== false) expect(judged.diagnostics[0]?.code).toBe(code)
    if (result) expect(judged.result).toBe(result)
  })
})

describe('rules', () => {
  it.each(neighbours)(
    'return only the expected diagnostics when %s',
    (_, { evidence }, codes, result) => {
      const judged = judge(evidence)
      expect(judged.diagnostics.map(({ code }) => code)).toEqual(codes)
      expect(judged.result).toBe(result)
    },
  )

  it('are all tested', () => {
    expect(Object.keys(speaks).toSorted()).toEqual(Object.keys(rules).toSorted())
  })

  it('are all in the tables of the guide, each in a row of its own', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/domains.md'), 'utf8')
    const tables = /### What can prevent it[\s\S]*?\n## |## Diagnostics[\s\S]*?\n## /g
    const rows = (guide.match(tables) ?? []).join('').matchAll(/^\| (\S+) \| \S.* \| \S.* \|$/gm)
    const codes = Array.from(rows, ([, code]) => code).filter((code) => code !== 'Code')
    expect(codes.toSorted()).toEqual(Object.keys(rules).toSorted())
  })

  it('keep their order: records that point to us are judged before conflicts', () => {
    const codes = Object.keys(rules)
    const first = ['D16', 'D20', 'D21']
    for (const code of first) expect(codes.indexOf(code)).toBeLessThan(codes.indexOf('D10'))
    const rest = codes.filter((code) => !first.includes(code))
    const place = (code: string) => 'MDCT'.indexOf(code.charAt(0)) * 100 + Number(code.slice(1))
    expect(rest).toEqual(rest.toSorted((a, b) => place(a) - place(b)))
  })

  it('report when caches expire', () => {
    const missing = judge(evidence().holding(nothing).evidence)
    expect(missing.diagnostics[0]?.until).toBe(at + 900_000)
  })
})

it('says whether there is another site only where the check found out', () => {
  const elsewhere = evidence().holding(facts(a('docs.example.com', '192.0.2.7')))
  const other = { kind: 'other', status: 200, server: undefined, platform: undefined } as const
  const from = (built: EvidenceBuilder) => hasOtherSite(readEvidence(built.evidence))
  expect(from(elsewhere.with({ probes: [probe('192.0.2.7', other)] }))).toBe(true)
  const silent = { kind: 'no answer', reason: 'refused' } as const
  expect(from(elsewhere.with({ probes: [probe('192.0.2.7', silent)] }))).toBe(false)
  expect(from(elsewhere.with({ probes: [], isCutShort: true }))).toBe(null)
  expect(from(evidence().holding(nothing).with({ probes: [], isCutShort: true }))).toBe(false)
  const unanswered = evidence().with({ servers: [], resolver: undefined, probes: [] })
  expect(from(unanswered)).toBe(null)
})
