// Situations of a certificate before the switch, for the tests of the rules: a site elsewhere, at four name servers.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { PreparationFacts } from './evidence.ts'
import {
  at,
  caa,
  cname,
  evidence,
  facts,
  failure,
  nothing,
  server,
  txt,
} from './evidence-in-test.ts'

export const host = 'docs.example.com'
export const name = `_acme-challenge.${host}`
export const value = 'LPsIwTo7o8BoG0-vjCyGQGBWSVIPxI-i_X336eUOQZo'
const old = 'sites.burrow.example'

export const set = facts(txt(name, value))
const empty: NameFacts = { kind: 'nothing', rcode: 'NOERROR', negativeTtlSeconds: 900 }

/** What each name server has at the name of the challenge. */
export function preparing(
  views: NameFacts[],
  { challenge, ...more }: Partial<PreparationFacts> = {},
) {
  const preparation: PreparationFacts = {
    challenge: challenge ?? { name, value, until: at + 86_400_000 },
    servers: views.map((view, i) => ({ server: server(i + 1).server, facts: view })),
    wildcard: nothing,
    doubled: nothing,
    atHost: nothing,
    caaAfter: [],
    ...more,
  }
  return evidence()
    .holding(facts(cname(host, old)))
    .with({ preparation, probes: [] })
}

const step = (at: string, records: ReturnType<typeof caa>[], isOurTarget = false) => ({
  name: at,
  isOurTarget,
  rcode: 'NOERROR' as const,
  records,
})
const refusedBy = (type: string, detail: string) => ({
  problem: { authority: 'authority.example', type, status: 403, detail, at, retryAt: at + 1000 },
  retryAt: undefined,
  expiresAt: undefined,
  fingerprint: undefined,
  seen: [],
})

export const preparationSituations = {
  M01: [
    {
      when: 'the platform that it points to now forbids our authority',
      given: preparing([nothing]).with({
        caa: [step(host, []), step(old, [caa(old, 'issue', 'other.example')])],
      }),
      says: [/CAA at sites\.burrow\.example/, /does not allow authority\.example/, /A records/],
    },
    {
      when: 'that platform allows our authority, but not this method',
      given: preparing([nothing]).with({
        caa: [
          step(host, []),
          step(old, [caa(old, 'issue', 'authority.example; validationmethods=http-01')]),
        ],
      }),
      says: [/Only the platform there can change them/],
    },
  ],
  M02: [
    {
      when: 'another platform validates there',
      given: preparing([facts(cname(name, 'docs.abc.dcv.cloudflare.com'))], {
        challenge: { name },
      }),
      says: [/is a CNAME to docs\.abc/, /Cloudflare renews/, /Delete the CNAME record/],
    },
  ],
  M03: [
    {
      when: 'one of four name servers does not have it',
      given: preparing([set, set, nothing, set]),
      says: [/on 3 of 4 name servers/, /once all of them have it/],
    },
    {
      when: 'none has it',
      given: preparing([nothing, nothing]),
      says: [/Waiting for the TXT record/, new RegExp(`name _acme-challenge.docs, value ${value}`)],
    },
    {
      when: 'one does not answer',
      given: preparing([set, failure, set]),
      says: [/on 2 of 2 name servers/, /1 other did not answer/],
    },
  ],
  M04: [
    {
      when: 'the order ended before the record was set',
      given: preparing([nothing], {
        challenge: { name, value, former: { value: 'before', because: 'expired', at } },
      }),
      says: [/needs a new value/, /open no longer/, /not valid any more: before/],
      isHeadline: false as const,
    },
    {
      when: 'the authority refused the value before, which is still there',
      given: preparing([facts(txt(name, 'before'))], {
        challenge: { name, value, former: { value: 'before', because: 'refused', at } },
      }),
      says: [/did not accept/, /Change the TXT record/],
      isHeadline: false as const,
    },
  ],
  M09: [
    {
      when: 'the quotes became part of the value',
      given: preparing([facts(txt(name, `"${value}"`))]),
      says: [/has another value/, /quotes became part/, /is not asked until it is right/],
    },
    {
      when: 'the name was appended twice',
      given: preparing([nothing], {
        doubled: facts(txt(`${name}.example.com`, value)),
      }),
      says: [/is at _acme-challenge\.docs\.example\.com\.example\.com/, /added the zone/],
    },
    {
      when: 'it is at the host itself',
      given: preparing([nothing], { atHost: facts(txt(host, value)) }),
      says: [/is at docs\.example\.com, not at/],
    },
    {
      when: 'there is only the record of another service',
      given: preparing([facts(txt(name, 'of another'))]),
      says: [/It has another value/, /^Add a TXT record/m],
    },
  ],
  M10: [
    {
      when: 'the zone allows DNS-01 only',
      given: preparing([set], {
        caaAfter: [
          step('docs.animals.example', [], true),
          step('example.com', [
            caa('example.com', 'issue', 'authority.example; validationmethods=dns-01'),
          ]),
        ],
      }),
      says: [/After the switch, CAA at example\.com/, /not renewed/],
    },
  ],
  M11: [
    {
      when: 'the order ends too soon',
      given: preparing([nothing], { challenge: { name } }).with({
        certificate: refusedBy('windowTooShort', 'The order ends after 8 min.'),
      }),
      says: [/does not wait long enough/, /8 min/, /switch without a prepared certificate/],
    },
  ],
  M12: [
    {
      when: 'the authority has no such challenge',
      given: preparing([nothing], { challenge: { name } }).with({
        certificate: refusedBy('challengeNotOffered', 'It has none.'),
      }),
      says: [/does not validate by DNS/, /configured by the operator/],
    },
  ],
  M13: [
    {
      when: 'a wildcard with a CNAME answers for it',
      given: preparing([facts(cname(name, old))], {
        challenge: { name },
        wildcard: facts(cname(`random.${host}`, old)),
      }).views({ sibling: facts(cname('random.example.com', old)) }),
      says: [/exists only by a wildcard/, /RFC 4592/, /add a record for docs itself.*CNAME sites/],
    },
    {
      when: 'a wildcard with addresses answers for it',
      given: preparing([empty], { challenge: { name }, wildcard: empty }).views({
        host: facts({ ...addressOf(host) }),
        sibling: facts({ ...addressOf('random.example.com') }),
      }),
      says: [/exists only by a wildcard/, /A 192\.0\.2\.1/],
    },
  ],
}

function addressOf(owner: string) {
  return { name: owner, ttlSeconds: 300, type: 'A' as const, address: '192.0.2.1' }
}
