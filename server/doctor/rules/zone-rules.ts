// D02 to D04: whether the zone of the host is registered, whether its name servers can be used, and whether resolvers that
// validate DNSSEC see it.
import { isIPv6 } from 'node:net'
import { isWithin } from '#dns/messages/dns-name.ts'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import type { ServerView } from '../evidence.ts'
import { isPreparing, type Reading } from '../reading.ts'
import {
  addressed,
  blocks,
  counted,
  type Finding,
  listed,
  providerOf,
  type Rule,
  serverName,
  waits,
  warns,
} from '../wording.ts'

/** Names below a private suffix, such as github.io, are not delegated but have records. */
export function isUnregistered(reading: Reading): boolean {
  const isSeen = reading.pointers.some((pointer) => pointer.kind !== 'nothing' || pointer.wildcard)
  return reading.zone.delegation === 'not there' && !isSeen
}

export const notRegistered: Rule = (reading) => {
  if (!isUnregistered(reading)) return undefined
  const { registrableDomain } = reading.subject
  return blocks(
    `${registrableDomain} is not registered, or has expired`,
    `The parent zone has no ${registrableDomain}, so no record below it can be found. It may be on hold as well.`,
    `Register ${registrableDomain}, or renew it at its registrar. Check the spelling, too. If it is paid for, ask the registrar whether it is on hold, as until an e-mail address is confirmed.`,
  )
}

export const faultOf: Record<Exclude<ServerView['state'], 'ok'>, string> = {
  lame: 'does not hold the zone',
  refused: 'refuses to answer',
  timeout: 'does not answer',
  error: 'answers with an error',
}

/** What a server without a usable answer does, as far as its exchanges show. */
function describeFault(
  server: ServerAddress,
  state: keyof typeof faultOf,
  reading: Reading,
): string {
  const responses = responsesOf(server, reading)
  const isAnswered = responses.some(({ response }) => response.answers.length)
  if (state === 'lame' && isAnswered)
    return 'answers as a resolver does, without the AA flag of RFC 1035'
  if (state !== 'timeout' && state !== 'error') return faultOf[state]
  const isCut = responses.some((each) => each.transport === 'udp' && each.response.isTruncated)
  if (isCut)
    return 'answers over UDP only in part, and does not answer on TCP port 53, where the rest is asked for (RFC 7766)'
  const isWithoutEdns = responses.length > 0 && responses.every((each) => each.withoutEdns)
  return isWithoutEdns
    ? 'answers only queries without EDNS (RFC 6891), and resolvers send all with it'
    : faultOf[state]
}

/** Whether it answers other questions for the zone, and fails for the host alone. */
const answersOthers = (server: ServerAddress, reading: Reading): boolean =>
  responsesOf(server, reading).some(
    ({ response }) => response.isAuthoritative && response.rcode === 'NOERROR',
  )

const responsesOf = ({ address, port }: ServerAddress, { exchanges }: Reading) =>
  exchanges.flatMap(({ response, server, ...each }) =>
    response && server.address === address && server.port === port ? [{ ...each, response }] : [],
  )

/** Those whose answers for the host are used although they do not have the AA flag. */
const withoutAuthority = (reading: Reading) =>
  reading.answers.flatMap(({ view: { server } }) => {
    const isWithout = responsesOf(server, reading).some(
      ({ question: { name, type }, response: { isAuthoritative, rcode } }) =>
        `${name} ${type}` === `${reading.subject.host} A` &&
        !isAuthoritative &&
        ['NOERROR', 'NXDOMAIN'].includes(rcode),
    )
    return isWithout ? [server] : []
  })

/** Of the zone that the host is delegated to: those that cannot be used, with what is wrong, and the number of all. */
function readServers(reading: Reading) {
  const { servers, zone } = reading
  const counting = withoutUnreachableFamily(servers)
  const { unusable = [] } = zone
  // What this machine cannot reach says nothing about the zone.
  const lacking = unusable.filter(({ fault }) => fault !== 'only IPv6')
  const dead = [
    ...counting.flatMap(({ server, state }) => {
      if (state === 'ok') return []
      const fault = describeFault(server, state, reading)
      const isAlone = fault === faultOf.error ? answersOthers(server, reading) : undefined
      return [{ name: server.name, said: `${addressed(server)} ${fault}`, isAlone }]
    }),
    ...lacking.map(({ fault, name }) => {
      const has = fault === 'no address' ? 'has no address' : 'has only a private address'
      return { name, said: `${name} ${has}`, isAlone: undefined }
    }),
  ]
  return { dead, count: counting.length + lacking.length, unasked: unaskedServers(zone) }
}

/** Name servers that only a machine with IPv6 can ask. */
const unaskedServers = ({ unusable = [] }: Reading['zone']) =>
  unusable.flatMap(({ fault, name }) => (fault === 'only IPv6' ? [name] : []))

const isUnasked = (names: string[]) =>
  `${listed(names)} can be asked by IPv6 only, which this server does not have.`

/** Whether it is delegated, and no name server can be used: a lookup of the host fails. */
export function isUnserved(reading: Reading): boolean {
  const { count, dead, unasked } = readServers(reading)
  return dead.length > 0 && dead.length === count && unasked.length === 0
}

export const deadServers: Rule = (reading) => {
  const { count, dead, unasked } = readServers(reading)
  const zone = zoneName(reading)
  if (dead.length === 0) {
    const plain = withoutAuthority(reading)
    if (plain.length === 0) return undefined
    return warns(
      `${plain.length} of ${counted(count, 'name server')} of ${zone} answer without authority`,
      `${listed(plain.map(addressed))}: without the AA flag of RFC 1035. We use the answers, as the certificate authority does; not all resolvers accept them.`,
      describeServerFix(reading, plain.map(serverName)).text,
    )
  }
  const all = dead.length === count
  const others = all && unasked.length > 0 ? ` ${isUnasked(unasked)}` : ''
  const of = `${dead.length} of ${counted(count, 'name server')}`
  const title = all ? `No name server of ${zone} can be used` : `${of} of ${zone} cannot be used`
  const each = listed(dead.map(({ said }) => said))
  const detail = all
    ? `${each}.${others} The records of the zone are unknown; we will check again.`
    : `${each}. Visitors and the certificate authority may ask ${dead.length === 1 ? 'it' : 'these'}, and fail.`
  const isOfHost = dead.every(({ isAlone }) => isAlone !== undefined)
  // Not each of them was asked for something else.
  if (isOfHost && dead.some(({ isAlone }) => isAlone)) {
    const { platform, subject } = reading
    return (all ? blocks : warns)(
      `${all ? 'The name servers' : of} of ${zone} fail when asked for ${subject.host}`,
      `${detail} They answer other questions.`,
      `Ask the DNS provider. If ${subject.host} has an ALIAS or ANAME record there, its value could not be resolved: it must be exactly ${platform.host}.`,
    )
  }
  const names = [...new Set(dead.flatMap(({ name }) => name ?? []))]
  const { text } = describeServerFix(reading, names)
  return (all ? blocks : warns)(title, detail, text)
}

/** The zone that the host is delegated to. */
function zoneName({ apex, zone }: Reading): string {
  return zone.cut ?? apex
}

/**
 * What to do about name servers that cannot be used, or have other records. Each is taken out of the list that has it: the
 * delegation, the NS records of the zone itself, or both. `isOneSided`: some are in one list only, which no waiting changes.
 */
export function describeServerFix(reading: Reading, names: string[]) {
  const { ownNames = [], parentNames = [] } = reading.zone
  const zone = zoneName(reading)
  const delegation =
    zone === reading.subject.registrableDomain
      ? `the delegation of ${zone} at its registrar`
      : `the NS records of ${zone} in the zone above it`
  // Two lists without a common name are other names for the same servers, or of two copies of the zone.
  const isKnown = ownNames.some((name) => parentNames.includes(name))
  const isIn = (list: string[]) => (name: string) => !isKnown || list.includes(name)
  const ownOnly = names.filter((name) => !isIn(parentNames)(name))
  const parentOnly = names.filter((name) => !isIn(ownNames)(name))
  const others = names.filter((name) => ![...ownOnly, ...parentOnly].includes(name))
  const about = others.length > 0 ? ` about ${listed(others)}` : ''
  const isOneSided = ownOnly.length + parentOnly.length > 0
  const ask =
    (about !== '' || !isOneSided) && `Ask the DNS provider${about}, or correct ${delegation}.`
  const remove =
    ownOnly.length > 0 &&
    `Delete the NS records with the value ${listed(ownOnly)} in the zone ${zone} (name @) at ${providerOf(reading)}: the delegation lists other name servers.`
  const takeOut =
    parentOnly.length > 0 &&
    `Take ${listed(parentOnly)} out of ${delegation}: the zone itself lists other name servers.`
  const text = [ask, remove, takeOut].filter((sentence) => sentence !== false).join(' ')
  return { text, isOneSided }
}

/** When no IPv6 address responds and IPv4 does, this machine has no IPv6: the IPv6 addresses are ignored. */
function withoutUnreachableFamily(servers: readonly ServerView[]): ServerView[] {
  const six = servers.filter(({ server }) => isIPv6(server.address))
  const four = servers.filter(({ server }) => !isIPv6(server.address))
  const isLocalFault =
    six.every(({ state }) => state === 'timeout') && four.some(({ state }) => state === 'ok')
  return isLocalFault ? four : [...servers]
}

/** Whether DNSSEC hides the host itself from resolvers that validate, and not only its CAA records. */
export function isHiddenByDnssec({ zone }: Reading): boolean {
  return zone.dnssec === 'broken' && zone.bogus?.type !== 'CAA'
}

export const brokenDnssec: Rule = (reading) => {
  const { platform, subject, zone } = reading
  const mayOrder = reading.state === 'right' || isPreparing(reading)
  if (zone.dnssec === 'not asked' && mayOrder)
    return blocks(
      `DNSSEC of ${subject.host} is not known yet`,
      'The check ended before the resolver had answered. No certificate is requested until it is known; we will check again.',
      'If it lasts, the operator has to give this server a resolver that answers faster.',
    )
  if (zone.dnssec !== 'broken') return undefined
  const { registrableDomain } = subject
  const whole = { name: registrableDomain, type: 'SOA', zone: registrableDomain, isWhole: true }
  const bogus = zone.bogus ?? whole
  const what = bogus.isWhole ? bogus.zone : `${bogus.name} (${bogus.type})`
  const ds = bogus.zone === registrableDomain ? 'at the registrar' : 'in the zone above it'
  const task = bogus.isWhole
    ? `sign ${bogus.zone} again, or remove its DS record ${ds}: after a change of DNS provider an old one is the usual cause`
    : `sign ${bogus.zone} again: the signature of this name is missing or not valid, or the proof that it has no such record`
  const isOfPlatform = isWithin(platform.host, bogus.zone)
  const isOwn = isWithin(bogus.zone, registrableDomain)
  const other = isOfPlatform ? 'The operator has to' : 'The owner of that zone has to'
  const through = bogus.name === subject.host || isOwn ? '' : ` ${subject.host} points there.`
  return blocks(
    `DNSSEC of ${what} is broken`,
    `Resolvers that check signatures answer SERVFAIL when asked for ${bogus.type} of ${bogus.name}, and without checking they find an answer. The certificate authority checks them.${through}`,
    `${isOwn ? 'Let your DNS provider' : other} ${task}.`,
  )
}

/** Why a lookup failed for which no rule gives a reason: it is in this installation, or above the zone. */
export function unknownCause(reading: Reading): Finding {
  const { isCutShort, subject, zone } = reading
  const title = `The name servers of ${zoneName(reading)} could not be asked`
  const unasked = unaskedServers(zone)
  if (unasked.length > 0)
    return waits(
      title,
      isUnasked(unasked),
      'The operator has to give this server IPv6. A name server with IPv4 helps, too.',
    )
  if (isCutShort)
    return waits(
      title,
      "The check ended before its name servers had answered. You don't need to do anything: we will check again.",
    )
  return waits(
    title,
    `The name servers above ${subject.registrableDomain} gave no usable answer to this server, so what they would answer is not known. You don't need to do anything: we will check again.`,
    'If it lasts, the operator has to let this server ask any address on port 53, by UDP and TCP.',
  )
}
