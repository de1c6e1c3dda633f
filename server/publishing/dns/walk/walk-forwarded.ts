// The zone of a name through a recursive resolver, for networks from which the roots cannot be reached: the
// SOA record that comes with any answer tells the zone, its NS records the servers.

import { isWithin, oneBelow, parentOf } from '../messages/dns-name.ts'
import type { DnsAnswer, Question } from '../messages/exchange.ts'
import { recordsOf } from '../messages/records-of.ts'
import { ask } from '../queries/ask.ts'
import type { Inquiry } from '../queries/inquiry.ts'
import type { ZoneCut } from '../queries/zone-cut.ts'
import type { Walk } from './walk.ts'

type Complete = (
  inquiry: Inquiry,
  zone: ZoneCut,
) => Promise<Pick<Walk, 'parentNames' | 'ownNames' | 'servers' | 'unresolved'>>

/** As walk(); `zones` has the one zone that was found, for the ones above it are not asked. */
export async function walkForwarded(
  inquiry: Inquiry,
  name: string,
  completeServers: Complete,
): Promise<Walk> {
  let missing: string | undefined
  for (let above: string | undefined = name; above !== undefined; above = parentOf(above)) {
    const answer = await forward(inquiry, { name: above, type: 'SOA' })
    if (!answer) break
    if (answer.rcode === 'NXDOMAIN') missing = above
    const soa = recordsOf([...answer.answers, ...answer.authorities], 'SOA').find((record) =>
      isWithin(name, record.name),
    )
    if (!soa) continue
    if (missing !== undefined) {
      const topmost = oneBelow(name, soa.name)
      const above = await forward(inquiry, { name: topmost, type: 'SOA' })
      if (above?.rcode === 'NXDOMAIN') missing = topmost
    }
    const ns = await forward(inquiry, { name: soa.name, type: 'NS' })
    const records = recordsOf(ns?.answers ?? [], 'NS')
    const parentNames = [...new Set(records.map(({ target }) => target))]
    const ttlSeconds = Math.min(soa.ttlSeconds, ...records.map((record) => record.ttlSeconds))
    const zone = {
      apex: soa.name,
      parent: undefined,
      parentNames,
      isDelegated: true,
      glue: new Map(),
      ttlSeconds,
    }
    inquiry.zones.set(soa.name, zone)
    const servers = await completeServers(inquiry, zone)
    return { name, outcome: 'found', zones: [soa.name], apex: soa.name, missing, soa, ...servers }
  }
  const nothing = { parentNames: [], ownNames: [], servers: [], unresolved: [], soa: undefined }
  return { name, outcome: 'unknown', zones: [], apex: '', missing, ...nothing }
}

/** The first forwarder's answer that is one; CD, so that a zone with a broken signature is found too. */
async function forward(inquiry: Inquiry, question: Question): Promise<DnsAnswer | undefined> {
  for (const server of inquiry.network.forwarders) {
    const options = { wantsRecursion: true, isCheckingDisabled: true }
    const { answer } = await ask(inquiry, server, question, options)
    if (answer?.rcode === 'NOERROR' || answer?.rcode === 'NXDOMAIN') return answer
  }
  return undefined
}
