// Whether the public key of a signing key is at all name servers of its domain. A faulty TXT record is the most frequent
// reason for which providers refuse a platform.

import { recordsOfType } from '#dns/messages/exchange.ts'
import { queryNameFacts } from '#dns/name-servers/name-facts.ts'
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'
import { walk } from '#dns/walk/walk.ts'
import type { Clock } from '#kit/clock.ts'
import { findPublicationProblem, writePublicKeyRecords } from '../signing/public-key-records.ts'

/** Undefined when every name server has exactly the records of the key; else the problem, as the end of a sentence. */
export async function findKeyProblem(
  { clock, network }: { clock: Clock; network: DnsNetwork },
  { keyDomain, label, privateKey }: { keyDomain: string; label: string; privateKey: string },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const name = `${label}.${keyDomain}`
  const inquiry = startInquiry({ network, clock, freshFrom: keyDomain, ...(signal && { signal }) })
  const { outcome, servers } = await walk(inquiry, name)
  if (outcome === 'unknown' || servers.length === 0)
    return `the name servers of ${keyDomain} do not respond`
  const expected = writePublicKeyRecords(privateKey)
  for (const server of servers) {
    const facts = await queryNameFacts(inquiry, server, name, { types: ['TXT'] })
    const at = server.name ?? server.address
    if (facts.kind === 'failure') {
      // More addresses than the limit of queries allows: those before have been asked.
      if (facts.reason === 'not-asked') break
      return `${at} does not respond (${facts.reason})`
    }
    const records = facts.kind === 'records' ? recordsOfType(facts.others, 'TXT') : []
    const published = records.map(({ strings }) => strings.join(''))
    const problem = findPublicationProblem(expected, published)
    if (problem !== undefined) return `${problem} at ${at}`
  }
  return undefined
}
