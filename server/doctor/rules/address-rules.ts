// Where the addresses of a host lead. D10 and D16 to D21: a host with address records; our addresses and a proxy's are
// judged before conflicts. D22 and T01 to T03: which server responds to HTTP requests for the host.
import { noIpv6, type Probe } from '../evidence.ts'
import { type AddressDestination, ownRecords, type Reading, unknownProxy } from '../reading.ts'
import {
  answeredAt,
  blocks,
  counted,
  createDeletion,
  createPointerFix,
  type Finding,
  fine,
  listed,
  plainRecords,
  type Rule,
  warns,
  written,
} from '../wording.ts'

interface PointingAddresses<Kind extends AddressDestination['kind']> {
  pointsTo: AddressDestination & { kind: Kind }
  addresses: string[]
  /** What a CNAME could not stand beside, in words; empty at an apex. */
  beside: string
}

/** The first destination of this kind, with the addresses of all answers that have this kind of destination. */
function findPointingTo<Kind extends AddressDestination['kind']>(reading: Reading, kind: Kind) {
  let first: AddressDestination | undefined
  const addresses = new Set<string>()
  const others = new Set<string>()
  for (const pointer of reading.pointers) {
    if (pointer.kind !== 'addresses' || pointer.pointsTo.kind !== kind) continue
    first ??= pointer.pointsTo
    for (const address of pointer.addresses) addresses.add(address)
    for (const record of reading.isApex ? [] : pointer.others) others.add(written(record))
  }
  if (first === undefined) return undefined
  const pointsTo = first as AddressDestination & { kind: Kind }
  return { pointsTo, addresses: [...addresses], beside: listed([...others]) }
}

/** A rule for a host whose addresses have this kind of destination. */
function addressRule<Kind extends AddressDestination['kind']>(
  kind: Kind,
  describe: (matched: PointingAddresses<Kind>, reading: Reading) => Finding,
): Rule {
  return (reading) => {
    const matched = findPointingTo(reading, kind)
    return matched && describe(matched, reading)
  }
}

/** Address records of the host with these addresses. */
function recordsWith(reading: Reading, addresses: readonly string[]) {
  const views = [...reading.servers.map(({ host }) => host), reading.resolver?.host]
  const own = plainRecords(views.flatMap((facts) => ownRecords(facts, reading.subject.host)))
  return own.filter(({ value }) => addresses.includes(value))
}

const theRecords = (reading: Reading, addresses: readonly string[]) =>
  listed(recordsWith(reading, addresses).map(({ type, value }) => `${type} ${value}`))

export const conflict = addressRule('elsewhere', (matched, reading) => {
  const { subject, platform } = reading
  const records = recordsWith(reading, matched.addresses)
  const [first] = records
  const title =
    records.length === 1 && first
      ? `The ${first.type} record ${first.value} conflicts`
      : `${counted(records.length, 'address record')} of ${subject.host} conflict`
  const consequence = reading.isApex
    ? `so visitors do not come to ${platform.host}.`
    : 'and a CNAME cannot coexist with other records.'
  const other = outcomesOf(reading, 'other').find(({ address }) =>
    matched.addresses.includes(address),
  )
  const answer = other ? ` ${other.address} answers ${answered(other.outcome)}.` : ''
  const { beside } = matched
  const more = beside && ` ${beside} would have to move to another name, too.`
  const detail = `${subject.host} has ${theRecords(reading, matched.addresses)}, ${consequence}${answer}${more} ${answeredAt(reading)}.`
  return blocks(title, detail, createPointerFix(reading), {
    found: matched.addresses,
    expected: [platform.host],
  })
})

export const ownAddresses = addressRule('platform', (matched, reading) => {
  const { subject, platform } = reading
  const title = `${subject.host} points to us by its addresses`
  const list = listed(matched.addresses)
  if (reading.isApex) {
    const detail = `${list}: those of ${platform.host}. With ALIAS or ANAME they follow when ours change.`
    return fine(title, detail)
  }
  const detail = `${list}: those of ${platform.host}. If they were copied, they will not follow when ours change.`
  const { beside } = matched
  if (beside)
    return warns(title, `${detail} A CNAME would, but cannot stand beside ${beside}: keep them.`)
  if (reading.state !== 'right') return warns(title, detail)
  // All of ours may be those of a CNAME or ALIAS that the provider answers with its addresses.
  const isWhole = platform.addresses.every((address) => matched.addresses.includes(address))
  if (isWhole && reading.hasOwn === 'yes' && reading.zone.provider?.hasAlias !== false) {
    const what = theRecords(reading, matched.addresses)
    const text =
      `If the DNS provider shows a CNAME or ALIAS record at ${reading.label}, keep it. If it shows ${what}, ` +
      `delete that, and add a CNAME record: name ${reading.label}, value ${platform.host}.`
    return warns(title, detail, text)
  }
  return warns(title, detail, createPointerFix(reading))
})

export const noAlias: Rule = (reading) => {
  const { provider } = reading.zone
  if (provider === undefined || provider.hasAlias || !reading.isApex) return undefined
  if (reading.state === 'right' || reading.state === 'unknown') return undefined
  const { host } = reading.subject
  return warns(
    `${provider.name} has no ALIAS record`,
    `The name servers of ${host} are ${provider.name}'s, where the top of a zone cannot follow another name.`,
    // The rule for the missing or conflicting record already gives the same fix.
    reading.state === 'partial' ? createPointerFix(reading) : undefined,
  )
}

export const someElsewhere = addressRule('some elsewhere', (matched, reading) => {
  const { elsewhere } = matched.pointsTo
  const records = recordsWith(reading, elsewhere)
  const of = `${elsewhere.length} of ${matched.addresses.length} addresses`
  return blocks(
    `${of} of ${reading.subject.host} point elsewhere`,
    `${theRecords(reading, elsewhere)}: not on this platform. Some visitors go there, and the certificate ` +
      'authority may.',
    createDeletion(reading, records),
    { found: elsewhere },
  )
})

export const ipv6Elsewhere = addressRule('ipv6 elsewhere', (matched, reading) => {
  const { elsewhere } = matched.pointsTo
  return blocks(
    `IPv6 of ${reading.subject.host} points elsewhere`,
    `${theRecords(reading, elsewhere)} is not ours, while IPv4 points to us. The certificate authority ` +
      'may try IPv6 first.',
    createDeletion(reading, recordsWith(reading, elsewhere)),
    { found: elsewhere },
  )
})

export const proxyWorks = addressRule('relayed', (matched, reading) => {
  const { by, at } = matched.pointsTo
  const [verb, them] = at.length === 1 ? ['is', 'it'] : ['are', 'them']
  const proxy = by === unknownProxy ? 'the proxy' : by
  return fine(
    `${reading.subject.host} points to us through ${by}`,
    `${listed(at)} ${verb} not ours, but a request to ${them} reaches us.`,
    `Set the TLS mode of ${proxy} to "Full (strict)", once the certificate is there.`,
  )
})

export const proxyFails = addressRule('proxy fails', (matched, reading) => {
  const { by, at } = matched.pointsTo
  const isAt = ({ address }: { address: string }) => at.includes(address)
  const loop = outcomesOf(reading, 'redirect loop').find(isAt)
  const other = outcomesOf(reading, 'other').find(isAt)?.outcome
  const [cause, ownFix] = (by === 'Cloudflare' && cloudflareErrors[other?.status ?? 0]) || []
  const response = loop
    ? `A request through it ends in a redirect loop, at ${withoutNonce(loop.outcome.location)}.`
    : `A request through it does not reach us${other ? `: it answers ${answered(other)}` : ''}.`
  const round = loop ? `Set the TLS mode at ${by} to "Full (strict)". If that is not enough: ` : ''
  const first = ownFix
    ? `${ownFix.replace('%', () => reading.platform.host)} If that is not enough: `
    : round
  const text =
    `${first}Switch the record of ${reading.label} to "DNS only" at ${by}, with a CNAME to ` +
    `${reading.platform.host}; or let ${by} pass /.well-known/acme-challenge/* on unchanged.`
  return blocks(
    `${by} stands in front of ${reading.subject.host} and blocks validation`,
    `${listed(at)} belong${at.length === 1 ? 's' : ''} to ${by}. ${response}${cause ? ` ${cause}` : ''}`,
    text,
    { found: at, expected: [reading.platform.host] },
  )
})

const unreached = (what: string): [cause: string, fix: string] => [
  `Cloudflare ${what} the server of its record.`,
  'Set the value of the record at Cloudflare to %.',
]
const untrusted = (what: string): [cause: string, fix: string] => [
  `The TLS mode at Cloudflare asks for a certificate here that is not issued yet: ${what}.`,
  'Until the certificate is there, turn off "Always Use HTTPS" at Cloudflare and set the TLS mode to "Full"; then "Full (strict)".',
]

/** What its own statuses say, and what to do. `%`: the platform host. */
const cloudflareErrors: Partial<Record<number, [cause: string, fix: string]>> = {
  521: unreached('is refused by'),
  522: unreached('gets no answer from'),
  523: unreached('has no route to'),
  525: untrusted('the handshake failed'),
  526: untrusted('it is not valid'),
  530: unreached('cannot find'),
}

/** Removes the nonce, which differs in each request and means nothing to a reader. */
const withoutNonce = (location: string) =>
  location.replace(/(\/\.well-known\/animal-store\/)[\w-]*/, '$1…')

const answered = ({ location, status }: Outcome & { kind: 'other' }) =>
  location === undefined ? `${status}` : `${status} (a redirect to ${withoutNonce(location)})`

type Outcome = Probe['outcome']
type Of<Kind extends Outcome['kind']> = { address: string; outcome: Outcome & { kind: Kind } }

/** When DNS points to us, ignores addresses that only stale caches and late name servers still have. */
function outcomesOf<Kind extends Outcome['kind']>(reading: Reading, kind: Kind): Of<Kind>[] {
  const { from, pointers } = reading
  if (reading.probes.length === 0) return []
  const isKind = (outcome: Outcome): outcome is Outcome & { kind: Kind } => outcome.kind === kind
  const own = pointers.flatMap((pointer) => (pointer.kind === 'addresses' ? pointer.addresses : []))
  const standing = [...reading.platform.addresses, ...own]
  const isPast = (address: string) =>
    from === 'servers' && isRight(reading) && !standing.includes(address)
  const probes = reading.probes.filter(({ address, isOfHttps }) => !isOfHttps && !isPast(address))
  return probes.flatMap(({ address, outcome }) => (isKind(outcome) ? [{ address, outcome }] : []))
}

/** Only when DNS points to us is another server's answer a separate problem. */
function isRight(reading: Reading): boolean {
  const { state } = reading
  return state === 'right' || state === 'partial'
}

/** A rule for a host at some of whose addresses a request had this outcome; `at`: all of them, in words. */
function outcomeRule<Kind extends Outcome['kind']>(
  kind: Kind,
  isMeant: (one: Of<Kind>, reading: Reading) => boolean,
  describe: (first: Outcome & { kind: Kind }, at: string, reading: Reading) => Finding,
): Rule {
  return (reading) => {
    const all = outcomesOf(reading, kind).filter((one) => isMeant(one, reading))
    const [first] = all
    return first && describe(first.outcome, listed(all.map(({ address }) => address)), reading)
  }
}

export const otherPlatform = outcomeRule(
  'other',
  ({ outcome }) => outcome.platform !== undefined,
  ({ platform = '' }, at, reading) => {
    const { host } = reading.subject
    const detail = isRight(reading)
      ? `DNS points to us, and ${at} answers as ${platform}: it still holds the name.`
      : `${at} answers as ${platform}. It may keep the name after DNS has changed.`
    // Before that, visitors still go there.
    const remove = isRight(reading) ? 'Remove' : 'Once DNS points to us, remove'
    return (isRight(reading) ? blocks : warns)(
      `${platform} answers for ${host}`,
      detail,
      `${remove} ${host} from the project at ${platform} that has it.`,
    )
  },
)

/** An HTTPS record leads browsers away although the other records are right (RFC 9460). */
export const httpsElsewhere: Rule = (reading) => {
  if (!isRight(reading)) return undefined
  const { platform, pointers, probes, subject } = reading
  const own = pointers.flatMap((p) => (p.kind === 'addresses' ? p.addresses : []))
  const isElsewhere = (address: string): boolean => {
    if (platform.addresses.includes(address) || own.includes(address)) return false
    const outcome = probes.find((probe) => probe.address === address)?.outcome
    if (outcome?.kind === 'not asked') return outcome.reason !== noIpv6
    return outcome !== undefined && outcome.kind !== 'platform'
  }
  const found = (reading.https ?? []).flatMap((record) => {
    const at = [...record.hints, ...record.addresses].filter(isElsewhere)
    return at.length > 0 ? [{ ...record, at }] : []
  })
  const [first] = found
  if (first === undefined) return undefined
  const { name, priority, target } = first
  const record = `HTTPS ${priority} ${target === name ? '.' : target}`
  const at = listed(found.flatMap((each) => each.at))
  const change =
    name === subject.host
      ? `If browsers should come here, delete this HTTPS record, or change ${priority === 0 || target !== name ? `its target to ${platform.host}` : 'its address hints'}. The others stay.`
      : `The record belongs to ${name}. If browsers should come here, point ${subject.host} directly to ${platform.host}.`
  return warns(
    `An HTTPS record of ${name} leads browsers elsewhere`,
    `${record}: browsers follow it before A and AAAA records, to ${at}, and do not reach us there. Certificate authorities and many tools do not use it.`,
    change,
    { found: [record] },
  )
}

export const noResponse = outcomeRule(
  'no answer',
  (_, reading) => isRight(reading),
  ({ reason }, at, reading) => {
    const { host: platformHost, addresses } = reading.platform
    const silent = outcomesOf(reading, 'no answer')
    const who = silent.every(({ address }) => addresses.includes(address))
      ? `The operator of ${platformHost} has to let port 80`
      : 'Let port 80'
    return blocks(
      `Port 80 of ${at} does not answer`,
      `A request failed: ${reason}. The certificate authority uses this port.`,
      `${who} through the firewall for everyone. Redirects are fine.`,
    )
  },
)

export const redirectLoop = outcomeRule(
  'redirect loop',
  // D21 reports the loops of known proxies.
  ({ address }, { pointers }) =>
    !pointers.some(
      (pointer) =>
        pointer.kind === 'addresses' &&
        pointer.pointsTo.kind === 'proxy fails' &&
        pointer.pointsTo.at.includes(address),
    ),
  ({ location }, at, { subject }) =>
    blocks(
      `${subject.host} redirects in a loop`,
      `${at} sends the request back to ${withoutNonce(location)}. ` +
        'A proxy that talks plain HTTP to us ("flexible" TLS) does that, or your own redirect rule.',
      'Set the TLS mode of the proxy to "Full (strict)", or remove the redirect rule.',
    ),
)

export const otherResponse = outcomeRule(
  'other',
  ({ outcome }, reading) => outcome.platform === undefined && isRight(reading),
  (outcome, at, { subject }) => {
    const { server } = outcome
    const who =
      server === undefined ? 'It does not identify itself.' : `It identifies itself as "${server}".`
    return blocks(
      `Another server answers for ${subject.host}`,
      `${at} answered ${answered(outcome)} instead of our file. ${who}`,
      'Let the proxy or firewall in front of us forward /.well-known/, or remove it.',
    )
  },
)
