// Judges whether a host can be switched to us without an error for any visitor: pure, from what was seen at our own
// addresses, the last check of DNS, and what CAA says after the switch.
import type { CaaStep } from '#dns/caa/find-caa.ts'
import type { DnsRecord } from '#dns/messages/exchange.ts'
import type { HttpsRecord } from '#dns/resolution/find-https.ts'
import type { Evidence } from '#doctor/evidence.ts'
import { applyPlannedRecords } from '#doctor/plan-records.ts'
import type { Reading } from '#doctor/reading.ts'
import { type Diagnosis, type DiagnosticCode, judge } from '#doctor/rules/judge.ts'
import { counted, listed, written } from '#doctor/wording.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import type { SeenAtAddress } from '../evidence/fetch-at-address.ts'
import { hasCertificate } from '../state/domain-state.ts'
import type { KeptCheck } from './check-result.ts'
import type { SwitchItem, SwitchItemCode } from './switch-schema.ts'

export interface SwitchFacts {
  domain: FoundDomain
  /** Of the last check; undefined before the first. */
  reading: Reading | undefined
  kept: KeptCheck | undefined
  /** SHA-256 of the certificate in use, in lower-case hexadecimal. */
  fingerprint: string | undefined
  /** Undefined where HTTPS is not served here. */
  httpsPort: number | undefined
  /** At each address of ours. */
  seen: SeenAtAddress[]
  /** What DNS says besides the last check. `beside` is undefined if name servers did not answer. */
  later: { beside: DnsRecord[] | undefined; caa: CaaStep[]; https: HttpsRecord[] }
  /** Whether the address that the host leads to responds over HTTPS. Never after the switch. */
  hasOldHttps: boolean
  now: number
}

/** Visitors notice a switch only as long as caches keep the old record. */
export const shortTtlSeconds = 300
const enoughMs = 14 * 24 * 3_600_000

/** An item of the checklist as its rule gives it. */
type JudgedItem = Pick<SwitchItem, 'state' | 'title' | 'detail'> & Partial<SwitchItem>

const inState =
  (state: SwitchItem['state']) =>
  (title: string, detail: string, fix: string | null = null): JudgedItem => {
    return { state, title, detail, fix }
  }
const passed = inState('passed')
const failed = inState('failed')
const waiting = inState('waiting')
const advice = inState('advice')

/** With the last check as it will be after the change of the record. */
type Facts = SwitchFacts & { after: Diagnosis | undefined }

const rules: Record<SwitchItemCode, (facts: Facts) => JudgedItem | undefined> = {
  ownership: judgeOwnership,
  certificate: judgeCertificate,
  presented: judgePresented,
  served: judgeServed,
  redirect: judgeRedirect,
  https: judgeOldHttps,
  records: judgeRecords,
  caa: judgeCaa,
  ttl: judgeTtl,
  caches: judgeCaches,
}

/** In the order of `switchItems`. Items that do not apply are left out. */
export function judgeSwitch(known: SwitchFacts): SwitchItem[] {
  const facts = { ...known, after: known.reading && judgeAfterSwitch(known, known.reading) }
  return (Object.keys(rules) as SwitchItemCode[]).flatMap((code) => {
    const judged = rules[code](facts)
    return judged ? [{ code, fix: null, until: null, ...judged }] : []
  })
}

/** From then on the switch reaches every visitor within a short TTL; undefined while the TTL is long. */
export function bestSwitchTime({ kept, now }: Pick<SwitchFacts, 'kept' | 'now'>) {
  const { cachedUntil = now, ttlSeconds = 0 } = kept?.elsewhere ?? {}
  if (ttlSeconds > shortTtlSeconds) return undefined
  return Math.max(now, cachedUntil - ttlSeconds * 1000)
}

function judgeOwnership({ domain: { host, state } }: SwitchFacts): JudgedItem {
  if (state.ownership === 'proven') {
    return passed('Ownership proven', `${host} is served here only for this project.`)
  }
  if (state.ownership === 'unproven') {
    return waiting('Ownership not proven', 'The TXT record of the verification has not been found.')
  }
  return failed(
    'Ownership not proven',
    'Another account holds this domain.',
    'Add the TXT record of the verification and verify the domain.',
  )
}

function judgeCertificate({ domain: { state }, httpsPort, now }: SwitchFacts): JudgedItem {
  if (httpsPort === undefined) {
    return advice(
      'No HTTPS here',
      'A proxy in front of this server provides certificates.',
      'Check that the proxy has a certificate for this host before you switch.',
    )
  }
  const { expiresAt, renewAt } = state
  if (!hasCertificate(state, now) || expiresAt === null) {
    return waiting('No certificate yet', 'It has to be issued before the switch.')
  }
  const isLong = expiresAt - now >= enoughMs || (renewAt !== null && now < renewAt)
  const judged = isLong
    ? passed('Certificate issued', 'It is valid for this host.')
    : waiting('Certificate expires soon', 'It has to be renewed before the switch.')
  return { ...judged, until: new Date(expiresAt).toISOString() }
}

function judgePresented({ fingerprint, httpsPort, seen }: SwitchFacts): JudgedItem | undefined {
  if (httpsPort === undefined || fingerprint === undefined) return undefined
  if (seen.length === 0) return noAddress
  const wrong = seen.filter(({ secure }) => secure?.fingerprint !== fingerprint)
  const [first] = wrong
  if (!first) {
    return passed(
      'Certificate presented',
      `${atAll(seen)} presents it to visitors of this host (SNI).`,
    )
  }
  const what = first.secure ? 'another certificate' : 'no certificate'
  return failed(
    'Certificate not presented everywhere',
    `${first.address} presents ${what} for this host${andOthers(wrong.length)}.`,
    'The operator has to check the nodes and the load balancer.',
  )
}

function judgeServed({
  domain,
  fingerprint,
  httpsPort,
  seen,
}: SwitchFacts): JudgedItem | undefined {
  if (domain.state.ownership !== 'proven') return undefined
  if (seen.length === 0) return noAddress
  const elsewhere = seen.find(({ probe }) => probe !== 'platform')
  if (elsewhere) {
    return failed(
      'Another server responds',
      `A test request for this host at ${elsewhere.address} does not reach this server.`,
      'The operator has to check the address of the platform host and the firewall.',
    )
  }
  // Without a certificate the handshake fails, which the item before says.
  if (httpsPort !== undefined && fingerprint === undefined) return undefined
  const answers = seen.map(({ address, plain, secure }) => ({
    address,
    response: httpsPort === undefined ? plain : secure,
  }))
  const target = domain.redirect?.to
  const wrong = answers.filter(({ response }) => !isExpected(response, target))
  const [first] = wrong
  if (!first) {
    const what = target === undefined ? 'serves the site' : `redirects to ${target}`
    return passed('Site served', `${atAll(seen)} ${what} for this host.`)
  }
  const { address, response } = first
  const status = response ? `responds with ${response.status}` : 'does not respond'
  return failed(
    'Site not served',
    `${address} ${status} to a request for https://${domain.host}/${andOthers(wrong.length)}.`,
    response?.status === 404
      ? 'Deploy the project with a page at its root.'
      : 'Check the deploys of the project.',
  )
}

function isExpected(response: SeenAtAddress['plain'], target: string | undefined): boolean {
  if (!response) return false
  const { location, status } = response
  if (target === undefined) return status >= 200 && status < 400
  return status >= 300 && status < 400 && URL.parse(location ?? '')?.hostname === target
}

function judgeRedirect({
  domain,
  fingerprint,
  httpsPort,
  seen,
}: SwitchFacts): JudgedItem | undefined {
  if (httpsPort === undefined || fingerprint === undefined || seen.length === 0) return undefined
  const silent = seen.find(({ plain }) => plain === undefined)
  if (silent) {
    return failed(
      'Port 80 does not respond',
      `${silent.address} does not respond to plain HTTP, by which the certificate is renewed.`,
      'The operator has to open port 80.',
    )
  }
  const isSecured = ({ plain }: SeenAtAddress): boolean =>
    plain !== undefined && plain.status >= 300 && (plain.location ?? '').startsWith('https://')
  if (seen.every(isSecured)) {
    return passed('HTTP redirects to HTTPS', `Port 80 redirects visitors of ${domain.host}.`)
  }
  return advice(
    'HTTP is not redirected',
    'Port 80 serves the site itself, because browsers do not trust this certificate.',
  )
}

/** Browsers that know the old site may insist on HTTPS (RFC 6797), and then let nobody past a certificate error. */
function judgeOldHttps({ fingerprint, hasOldHttps }: SwitchFacts): JudgedItem | undefined {
  if (!hasOldHttps || fingerprint !== undefined) return undefined
  return advice(
    'The old site has HTTPS',
    'Prepare the certificate first: browsers may refuse this host without HTTPS.',
  )
}

const noAddress = failed(
  'No address',
  'The platform host has no address.',
  'The operator has to create its DNS records.',
)

/** What a planned CNAME or ALIAS cannot stand beside, or what still leads elsewhere. */
const leftovers: DiagnosticCode[] = ['D10', 'D11', 'D15', 'D17', 'D18', 'D19', 'D26']

function judgeRecords({ after, domain, later }: Facts): JudgedItem | undefined {
  if (!after) return waiting('DNS not checked yet', 'The first check is running.')
  const first = after.diagnostics.find(({ code, severity }) => {
    return leftovers.includes(code) && (severity === 'blocks' || severity === 'warns')
  })
  if (first) return failed(first.title, first.detail, first.fix?.text ?? null)
  const { isApex } = after.reading
  const { beside } = later
  if (!beside && !isApex)
    return waiting('Other records not known', 'Name servers did not say what else the host has.')
  if (beside?.length && !isApex) {
    return failed(
      'A CNAME must stand alone',
      `${domain.host} also has ${listed(beside.map(written))}, which cannot stand beside a CNAME.`,
      'Delete these records when you change the record, or use another subdomain.',
    )
  }
  return passed('No other records', 'Nothing beside the record to change leads elsewhere.')
}

function judgeCaa({ after }: Facts): JudgedItem | undefined {
  if (!after) return undefined
  const finding = after.diagnostics.find(
    ({ code, severity }) => code.startsWith('C') && severity === 'blocks',
  )
  if (finding) return failed(finding.title, finding.detail, finding.fix?.text ?? null)
  return passed('CAA allows renewals', 'After the switch the certificate renews automatically.')
}

function judgeAfterSwitch({ later }: SwitchFacts, reading: Reading): Diagnosis {
  const { platform } = reading
  const { host } = reading.subject
  const record = {
    // An apex cannot have a CNAME.
    type: reading.isApex ? 'ALIAS' : 'CNAME',
    name: host,
    target: platform.host,
    ttlSeconds: shortTtlSeconds,
  } as const
  const plan = {
    records: [record],
    removed: ['A', 'AAAA', 'CNAME'].map((removed) => ({ name: host, type: removed })),
    problems: [],
  }
  const authorities = platform.authorities.map((authority) => ({
    ...authority,
    // Renewals are validated over HTTP.
    methods: authority.methods.filter((method) => !method.startsWith('dns')),
  }))
  // Then the rules of a domain that points here apply.
  const { preparation: _, ...pointing } = reading
  const present: Evidence = {
    ...pointing,
    platform: { ...platform, authorities },
    caa: later.caa,
    https: later.https,
  }
  return judge(applyPlannedRecords(present, plan).evidence)
}

function judgeTtl({ domain: { host }, kept }: SwitchFacts): JudgedItem | undefined {
  const { elsewhere } = kept ?? {}
  if (!elsewhere) return undefined
  const { ttlSeconds } = elsewhere
  const seconds = counted(ttlSeconds, 'second')
  if (ttlSeconds <= shortTtlSeconds) {
    return passed('Short TTL', `Caches keep the present record of ${host} for ${seconds}.`)
  }
  return advice(
    'Long TTL',
    `Caches keep the present record of ${host} for ${seconds}. You can switch now: until then some visitors see the old site, which has to keep running.`,
    `Lower its TTL to ${shortTtlSeconds} seconds, and wait ${seconds} before you switch.`,
  )
}

function judgeCaches(facts: SwitchFacts): JudgedItem | undefined {
  const best = bestSwitchTime(facts)
  if (!facts.kept?.elsewhere || best === undefined) return undefined
  if (best <= facts.now) {
    return passed('Caches expired', 'No cache has an answer with a longer TTL any more.')
  }
  const detail = 'Resolvers that asked before the TTL was lowered keep the old record until then.'
  return { ...advice('Caches have the longer TTL', detail), until: new Date(best).toISOString() }
}

function atAll(sites: SeenAtAddress[]): string {
  const addresses = sites.map(({ address }) => address)
  return addresses.length > 4 ? `Each of ${addresses.length} addresses` : listed(addresses)
}

/** Of `count` addresses one is named. */
function andOthers(count: number): string {
  if (count < 2) return ''
  return count === 2 ? ', and so does 1 more' : `, and so do ${count - 1} more`
}
