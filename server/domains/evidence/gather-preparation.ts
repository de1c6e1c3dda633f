// What a certificate before the switch depends on: the TXT record of the challenge at every name server of its zone,
// wildcards that would answer in its place, and CAA as it will be after the switch. It has limits of its own.
import { randomBytes } from 'node:crypto'
import { type CaaStep, findCaa } from '#dns/caa/find-caa.ts'
import { parentOf } from '#dns/messages/dns-name.ts'
import { askFactsAtServers } from '#dns/name-servers/facts-at-servers.ts'
import { type NameFacts, queryNameFacts, stateOf } from '#dns/name-servers/name-facts.ts'
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { type Inquiry, startInquiry } from '#dns/queries/inquiry.ts'
import { resolveFromZone } from '#dns/resolution/look-up.ts'
import { walk } from '#dns/walk/walk.ts'
import type { Clock } from '#kit/clock.ts'
import type { PreparationFacts, Subject, WantedChallenge } from './evidence.ts'

/** Queries left for the other names and CAA. */
const reserve = 14

interface PreparationContext {
  network: DnsNetwork
  clock: Clock
  owner: string | undefined
  signal: AbortSignal | undefined
}

/** Never throws because of network failures. */
export async function gatherPreparation(
  { clock, network, owner, signal }: PreparationContext,
  { host, registrableDomain }: Subject,
  challenge: WantedChallenge,
  platformHost: string,
): Promise<PreparationFacts> {
  const inquiry = startInquiry({
    network,
    clock,
    freshFrom: registrableDomain,
    ...(owner === undefined ? {} : { owner }),
    ...(signal ? { signal } : {}),
  })
  const found = await walk(inquiry, challenge.name)
  const { apex, servers } = found
  const seen = await askFactsAtServers(inquiry, servers, challenge.name, {
    types: ['TXT'],
    reserve,
  })
  const asked = seen.flatMap(({ facts, server }) => {
    return stateOf(facts) === undefined ? [] : [{ server, facts }]
  })
  const witness = asked.find(({ facts }) => facts.kind !== 'failure')?.server
  const ask = async (name: string): Promise<NameFacts | undefined> =>
    witness && (await queryNameFacts(inquiry, witness, name, { types: ['TXT'] }))
  const [wildcard, doubled, atHost, caaAfter] = await Promise.all([
    ask(`${randomBytes(8).toString('hex')}.${host}`),
    challenge.value === undefined ? undefined : ask(`${challenge.name}.${apex}`),
    challenge.value === undefined ? undefined : ask(host),
    findCaaAfter(inquiry, host, found.apex === host, platformHost),
  ])
  return { challenge, servers: asked, wildcard, doubled, atHost, caaAfter }
}

/**
 * A host that will be a CNAME has the CAA records of our target, otherwise those of its parents (RFC 8659, section 3).
 * At an apex, which cannot be a CNAME, its own stay.
 */
async function findCaaAfter(
  inquiry: Inquiry,
  host: string,
  isApex: boolean,
  platformHost: string,
): Promise<CaaStep[]> {
  const look = (name: string) => findCaa((question) => resolveFromZone(inquiry, question), name)
  if (isApex) return await look(host)
  const parent = parentOf(host)
  const [ours, above] = await Promise.all([
    findCaa((question) => resolveFromZone(inquiry, question), platformHost),
    parent === undefined ? [] : look(parent),
  ])
  // The parents of an alias's target are not climbed.
  const target = ours.slice(0, 1).map((step) => ({ ...step, isOurTarget: true }))
  return [...target, ...above]
}
