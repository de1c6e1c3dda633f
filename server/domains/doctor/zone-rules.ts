// D01 to D04: whether the host can be a custom domain, and whether its zone responds.
import { isIPv6 } from 'node:net'
import type { ServerView } from '../evidence/evidence.ts'
import { readHostname } from '../host-names/hostname.ts'
import type { Rule } from './diagnostic.ts'
import type { Reading } from './reading.ts'
import { addressed, blocks, counted, listed, warns } from './wording.ts'

export const notAHost: Rule = ({ subject, platform }) => {
  const { refused } = readHostname(subject.host, {
    hosts: platform.ownHosts,
    platformHost: platform.host,
  })
  if (refused === undefined) return undefined
  const title = `${subject.host} cannot be a custom domain`
  return blocks(title, refused)
}

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
    `The parent zone has no ${registrableDomain}, so no record below it can be found.`,
    {
      fix: `Register ${registrableDomain}, or renew it at its registrar. Check the spelling, too.`,
    },
  )
}

const faultOf: Record<Exclude<ServerView['state'], 'ok'>, string> = {
  lame: 'does not hold the zone',
  refused: 'refuses to answer',
  timeout: 'does not answer',
  error: 'answers with an error',
}

export const deadServers: Rule = (reading) => {
  const { servers, subject, zone } = reading
  const counting = withoutUnreachableFamily(servers)
  const dead = counting.flatMap((view) =>
    view.state === 'ok' ? [] : [{ ...view, state: view.state }],
  )
  const name = zone.apex ?? subject.registrableDomain
  if (dead.length === 0) {
    if (reading.state !== 'unknown' || isUnregistered(reading)) return undefined
    const names = zone.nameServers.length > 0 ? ` (${listed(zone.nameServers)})` : ''
    return blocks(
      `No name server of ${name} could be asked`,
      `Its name servers${names} have no public address that this server can ask, or were not found. The records of the zone are unknown; we will check again.`,
      { fix: `Look at the name servers of ${name} at its registrar: each needs an address.` },
    )
  }
  const all = dead.length === counting.length
  const of = `${dead.length} of ${counted(counting.length, 'name server')}`
  const title = all ? `No name server of ${name} answers` : `${of} of ${name} cannot be used`
  const each = dead.map((view) => `${addressed(view.server)} ${faultOf[view.state]}`)
  const detail = all
    ? `${listed(each)}. The records of the zone are unknown; we will check again.`
    : `${listed(each)}. Visitors and the certificate authority may ask ${dead.length === 1 ? 'it' : 'these'}, and fail.`
  const text =
    'Ask the DNS provider, or take the name server out of the delegation at the registrar.'
  return (all ? blocks : warns)(title, detail, { fix: text })
}

/** When no IPv6 address responds and IPv4 does, this machine has no IPv6: the IPv6 addresses are ignored. */
function withoutUnreachableFamily(servers: readonly ServerView[]): ServerView[] {
  const six = servers.filter(({ server }) => isIPv6(server.address))
  const four = servers.filter(({ server }) => !isIPv6(server.address))
  const isLocalFault =
    six.every(({ state }) => state === 'timeout') && four.some(({ state }) => state === 'ok')
  return isLocalFault ? four : [...servers]
}

export const brokenDnssec: Rule = ({ zone, subject }) => {
  if (zone.dnssec !== 'broken') return undefined
  return blocks(
    `DNSSEC of ${subject.registrableDomain} is broken`,
    'Resolvers that check signatures answer SERVFAIL, and without checking they find the name. ' +
      'The certificate authority checks them.',
    {
      fix:
        `Sign ${subject.registrableDomain} again at its DNS provider, or remove its DS record at the registrar. ` +
        'After a change of DNS provider an old DS record is the usual cause.',
    },
  )
}
