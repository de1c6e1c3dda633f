// D10 and D16 to D21: a host that leads by addresses. Ours and a proxy's are judged before the conflict.
import type { DnsRecord } from '../../dns/messages/exchange.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { hasOutcome } from './probe-rules.ts'
import { type AddressLead, unknownProxy } from './read-addresses.ts'
import { type Reading, readEvidence } from './reading.ts'
import type { Rule } from './rule.ts'
import { counted, listed, mend, plainRecords, pointHere, say, withoutDoubles } from './wording.ts'

interface Led<Kind extends AddressLead['kind']> {
  reading: Reading
  lead: AddressLead & { kind: Kind }
  addresses: string[]
}

/** The addresses that lead so at some server, with all that lead so at any. */
function findLead<Kind extends AddressLead['kind']>(
  evidence: Evidence,
  kind: Kind,
): Led<Kind> | undefined {
  const reading = readEvidence(evidence)
  const isKind = (lead: AddressLead): lead is AddressLead & { kind: Kind } => lead.kind === kind
  const found = reading.pointers.flatMap((p) =>
    p.kind === 'addresses' && isKind(p.lead) ? [{ lead: p.lead, addresses: p.addresses }] : [],
  )
  const [first] = found
  if (first === undefined) return undefined
  const addresses = [...new Set(found.flatMap((each) => each.addresses))]
  return { reading, lead: first.lead, addresses }
}

/** Address records of the host with these addresses. */
function recordsWith(evidence: Evidence, addresses: readonly string[]) {
  const views = [...evidence.servers.map(({ host }) => host), evidence.resolver?.host]
  const records = views.flatMap((facts): DnsRecord[] =>
    facts?.kind === 'records' ? facts.addresses : [],
  )
  const own = plainRecords(records.filter(({ name }) => name === evidence.subject.host))
  return withoutDoubles(own.filter(({ value }) => addresses.includes(value)))
}

const theRecords = (evidence: Evidence, addresses: readonly string[]) =>
  listed(recordsWith(evidence, addresses).map(({ type, value }) => `${type} ${value}`))

const conflict: Rule = {
  code: 'D10',
  judge(evidence) {
    const led = findLead(evidence, 'elsewhere')
    if (led === undefined) return undefined
    const { subject, platform } = evidence
    const records = recordsWith(evidence, led.addresses)
    const [first] = records
    const title =
      records.length === 1 && first
        ? `The ${first.type} record ${first.value} conflicts`
        : `${counted(records.length, 'address record')} of ${subject.host} conflict`
    const blocks = led.reading.isApex
      ? `so visitors do not come to ${platform.host}.`
      : 'and no CNAME can stand beside it.'
    const detail = `${subject.host} has ${theRecords(evidence, led.addresses)}, ${blocks}`
    return say('D10', 'blocks', title, detail, {
      fix: pointHere(evidence, led.reading, records),
      found: led.addresses,
      expected: [platform.host],
    })
  },
}

const ownAddresses: Rule = {
  code: 'D16',
  judge(evidence) {
    const { subject, platform } = evidence
    const stale = findLead(evidence, 'stale')
    if (stale) {
      const records = recordsWith(evidence, stale.lead.stale)
      return say(
        'D16',
        'blocks',
        `${subject.host} has an address that ${platform.host} no longer has`,
        `${theRecords(evidence, stale.lead.stale)} pointed to us before. A copied address does not ` +
          'follow when ours change.',
        { fix: pointHere(evidence, stale.reading, records), found: stale.lead.stale },
      )
    }
    const led = findLead(evidence, 'platform')
    if (led === undefined) return undefined
    const title = `${subject.host} points to us by its addresses`
    const list = listed(led.addresses)
    if (led.reading.isApex) {
      const detail = `${list}: those of ${platform.host}. With ALIAS or ANAME they follow when ours change.`
      return say('D16', 'fine', title, detail)
    }
    const detail = `${list}: those of ${platform.host}. If they were copied, they will not follow when ours change.`
    const records = recordsWith(evidence, led.addresses)
    return say('D16', 'warns', title, detail, { fix: pointHere(evidence, led.reading, records) })
  },
}

const noAlias: Rule = {
  code: 'D17',
  judge(evidence) {
    const { provider } = evidence.zone
    const reading = readEvidence(evidence)
    if (provider === undefined || provider.hasAlias || !reading.isApex) return undefined
    if (reading.state === 'right' || reading.state === 'unknown') return undefined
    const { host } = evidence.subject
    return say(
      'D17',
      'warns',
      `${provider.name} has no ALIAS record`,
      `The name servers of ${host} are ${provider.name}'s, where the top of a zone cannot follow another name.`,
      // What is missing or in the way has the same mend, and has said it.
      { fix: reading.state === 'partial' ? pointHere(evidence, reading) : undefined },
    )
  },
}

const someElsewhere: Rule = {
  code: 'D18',
  judge(evidence) {
    const led = findLead(evidence, 'some elsewhere')
    if (led === undefined) return undefined
    const { elsewhere } = led.lead
    const records = recordsWith(evidence, elsewhere)
    const of = `${elsewhere.length} of ${led.addresses.length} addresses`
    return say(
      'D18',
      'blocks',
      `${of} of ${evidence.subject.host} point elsewhere`,
      `${theRecords(evidence, elsewhere)}: not platform. Some visitors go there, and the certificate ` +
        'authority may.',
      { fix: mend(`Delete ${theRecords(evidence, elsewhere)}.`, records), found: elsewhere },
    )
  },
}

const ipv6Elsewhere: Rule = {
  code: 'D19',
  judge(evidence) {
    const led = findLead(evidence, 'ipv6 elsewhere')
    if (led === undefined) return undefined
    const { elsewhere } = led.lead
    return say(
      'D19',
      'blocks',
      `IPv6 of ${evidence.subject.host} points elsewhere`,
      `${theRecords(evidence, elsewhere)} is not ours, while IPv4 points to us. The certificate authority ` +
        'may try IPv6 first.',
      {
        fix: mend(`Delete ${theRecords(evidence, elsewhere)}.`, recordsWith(evidence, elsewhere)),
        found: elsewhere,
      },
    )
  },
}

const proxyWorks: Rule = {
  code: 'D20',
  judge(evidence) {
    const led = findLead(evidence, 'relayed')
    if (led === undefined) return undefined
    const { by, at } = led.lead
    const [verb, them] = at.length === 1 ? ['is', 'it'] : ['are', 'them']
    const proxy = by === unknownProxy ? 'the proxy' : by
    return say(
      'D20',
      'fine',
      `${evidence.subject.host} points to us through ${by}`,
      `${listed(at)} ${verb} not ours, but a request to ${them} reaches us.`,
      {
        fix: mend(
          `Set the TLS mode of ${proxy} to "Full (strict)", once the certificate is there.`,
        ),
      },
    )
  },
}

const proxyFails: Rule = {
  code: 'D21',
  judge(evidence) {
    const led = findLead(evidence, 'proxy fails')
    if (led === undefined) return undefined
    const { by, at } = led.lead
    const isRound = hasOutcome(evidence, at, 'redirect loop')
    const answer = isRound
      ? 'A request through it ends in a redirect loop.'
      : 'A request through it does not reach us.'
    const round = isRound
      ? `Set the TLS mode at ${by} to "Full (strict)". If that is not enough: `
      : ''
    const text =
      `${round}Switch the record of ${led.reading.label} to "DNS only" at ${by}, with a CNAME to ` +
      `${evidence.platform.host}; or let ${by} pass /.well-known/acme-challenge/* on unchanged.`
    return say(
      'D21',
      'blocks',
      `${by} stands in front of ${evidence.subject.host} and blocks validation`,
      `${listed(at)} belong${at.length === 1 ? 's' : ''} to ${by}. ${answer}`,
      { fix: mend(text), found: at, expected: [evidence.platform.host] },
    )
  },
}

export const addressRules = {
  conflict,
  ownAddresses,
  noAlias,
  someElsewhere,
  ipv6Elsewhere,
  proxyWorks,
  proxyFails,
}
