// Applies planned records to the evidence of a check, so that the doctor judges the planned state. A planned
// record set replaces the set of the same name and type; all other records stay, and may conflict.
import { isIPv6 } from 'node:net'
import type { CaaStep } from '#dns/caa/find-caa.ts'
import type { DnsRecord } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Evidence, ServerView } from '../evidence/evidence.ts'
import type { Plan } from './read-plan.ts'

/**
 * The evidence after the plan. `problems` are sentences about what cannot be predicted. Cached answers and
 * probes do not apply to a plan and are dropped, except probes of addresses that stay.
 */
export function applyPlannedRecords(
  evidence: Evidence,
  plan: Plan,
): { evidence: Evidence; problems: string[] } {
  const { host: platformHost } = evidence.platform
  const problems = [...plan.problems]
  const records = plan.records.flatMap((record): DnsRecord[] => {
    if (record.type !== 'ALIAS') return [record]
    if (record.target === platformHost)
      return aliasRecords(record.name, record.ttlSeconds, evidence)
    problems.push(
      `The ALIAS of ${record.name} points to ${record.target}; it must point to exactly ${platformHost}.`,
    )
    return []
  })
  const removed = plan.removed.flatMap(({ name, type }) =>
    (type === 'ALIAS' ? ['A', 'AAAA'] : [type]).map((each) => `${name} ${each}`),
  )
  const replaced = new Set([...removed, ...records.map(key)])
  // An ALIAS replaces all addresses of its name, of both families.
  for (const { type, name } of plan.records) {
    if (type === 'ALIAS') replaced.add(`${name} A`).add(`${name} AAAA`)
  }
  const applyTo = (facts: NameFacts | undefined, name: string) =>
    overlay(facts, name, records, replaced)
  const { subject, platform } = evidence
  const servers = evidence.servers.map((view): ServerView => {
    const host = applyTo(view.host, subject.host) ?? view.host
    return {
      ...view,
      host,
      verification: platform.verification
        ? applyTo(view.verification, platform.verification.name)
        : view.verification,
    }
  })
  const addresses = servers.flatMap(({ host }) => (host.kind === 'records' ? host.addresses : []))
  const kept = new Set(addresses.flatMap((r) => ('address' in r ? [r.address] : [])))
  const planned: Evidence = {
    ...evidence,
    servers,
    resolver: undefined,
    chain: plannedChain(evidence, records),
    caa: evidence.caa.map((step) => planCaa(step, records, replaced)),
    probes: evidence.probes.filter(({ address }) => kept.has(address)),
    planned: records,
  }
  return { evidence: planned, problems }
}

const key = ({ name, type }: DnsRecord) => `${name} ${type}`

function aliasRecords(name: string, ttlSeconds: number, { platform }: Evidence): DnsRecord[] {
  return platform.addresses.map((address) => {
    return { name, ttlSeconds, type: isIPv6(address) ? 'AAAA' : 'A', address }
  })
}

function overlay(
  facts: NameFacts | undefined,
  name: string,
  records: readonly DnsRecord[],
  replaced: ReadonlySet<string>,
): NameFacts | undefined {
  const planned = records.filter((record) => record.name === name)
  const isTouched = [...replaced].some((each) => each.startsWith(`${name} `))
  // The records of a failing server stay unknown.
  if (!isTouched || facts?.kind === 'failure') return facts
  const found =
    facts?.kind === 'records' ? [...facts.cname, ...facts.addresses, ...facts.others] : []
  const all = [...found.filter((record) => !replaced.has(key(record))), ...planned]
  if (all.length === 0) return { kind: 'nothing', rcode: 'NOERROR', negativeTtlSeconds: undefined }
  const isAddress = ({ type }: DnsRecord) => type === 'A' || type === 'AAAA'
  return {
    kind: 'records',
    cname: all.filter(({ type }) => type === 'CNAME'),
    addresses: all.filter(isAddress),
    others: all.filter((record) => record.type !== 'CNAME' && !isAddress(record)),
  }
}

function plannedChain({ chain }: Evidence, records: readonly DnsRecord[]) {
  const links = records.flatMap((r) => (r.type === 'CNAME' ? [{ from: r.name, to: r.target }] : []))
  return [...links, ...chain.filter(({ from }) => links.every((link) => link.from !== from))]
}

function planCaa(
  step: CaaStep,
  records: readonly DnsRecord[],
  replaced: ReadonlySet<string>,
): CaaStep {
  if (!replaced.has(`${step.name} CAA`)) return step
  const planned = records.filter((r): r is DnsRecord & { type: 'CAA' } => r.type === 'CAA')
  return { ...step, rcode: 'NOERROR', records: planned.filter(({ name }) => name === step.name) }
}
