// Whether resolvers that validate DNSSEC see what a certificate authority asks: the addresses of the host, to the end of
// its aliases, and CAA up to the first set (RFC 4035, section 5; RFC 8659, section 3). What such a resolver refuses, and
// answers without checking, is traced to the name whose signature is broken, and to its zone.
import { findCaa } from '#dns/caa/find-caa.ts'
import { parentOf } from '#dns/messages/dns-name.ts'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import type { Inquiry } from '#dns/queries/inquiry.ts'
import { type ChainLink, findDnssec, resolve } from '#dns/resolution/look-up.ts'
import { findKnownZone } from '#dns/walk/walk.ts'
import type { ZoneFacts } from '#doctor/evidence.ts'

type Bogus = NonNullable<ZoneFacts['bogus']>

/** `chain`: of the host. `isCut`: the limit was reached before all was asked. */
export async function findBrokenSignatures(
  inquiry: Inquiry,
  resolver: ServerAddress,
  { apex, chain, host }: { apex: string; chain: Promise<ChainLink[]>; host: string },
): Promise<Pick<ZoneFacts, 'dnssec' | 'bogus'> & { isCut: boolean }> {
  let isCut = false
  const find = async (name: string, type: Bogus['type']) => {
    const found = await findDnssec(inquiry, resolver, { name, type })
    isCut ||= found === 'not asked'
    return found
  }
  const isBroken = async (name: string, type: Bogus['type']) =>
    (await find(name, type)) === 'broken'
  const [dnssec, isA, isAaaa, steps] = await Promise.all([
    find(apex, 'SOA'),
    isBroken(host, 'A'),
    isBroken(host, 'AAAA'),
    findCaa((question) => resolve(inquiry, resolver, question), host),
  ])
  const { name: last = host, rcode } = steps.at(-1) ?? {}
  isCut ||= rcode === 'not-asked'
  const isCaa = rcode === 'SERVFAIL' && (await isBroken(last, 'CAA'))
  const type = dnssec === 'broken' ? 'SOA' : isA ? 'A' : isAaaa ? 'AAAA' : isCaa ? 'CAA' : undefined
  if (type === undefined) return { dnssec: isCut ? 'not asked' : dnssec, isCut }
  const asked = { SOA: apex, CAA: last }[String(type)] ?? host
  // A name is refused for the sake of any name that its aliases lead to.
  const isAliased = asked === host && type !== 'SOA'
  const names = isAliased ? [host, ...(await chain).map(({ to }) => to)] : [asked]
  let name = asked
  for (const each of names) if (await isBroken(each, type)) name = each
  const zones: string[] = []
  for (let above: string | undefined = name; above; above = parentOf(above))
    if (above.includes('.') && findKnownZone(inquiry, above)) zones.unshift(above)
  for (const zone of zones)
    if (await isBroken(zone, 'SOA'))
      return { dnssec: 'broken', bogus: { name, type, zone, isWhole: true }, isCut }
  const zone = zones.at(-1) ?? apex
  return { dnssec: 'broken', bogus: { name, type, zone, isWhole: false }, isCut }
}
