// D05 and D07 to D09: a record at the wrong name, a missing one, one at some servers only, or a cached old one.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Rule } from './diagnostic.ts'
import { hasWildcard } from './ownership.ts'
import { readPropagation } from './propagation-clock.ts'
import { pointsToUs } from './reading.ts'
import {
  blocks,
  counted,
  createPointerFix,
  listed,
  plainRecords,
  serverName,
  waits,
  written,
} from './wording.ts'
import { isUnregistered } from './zone-rules.ts'

const hourMs = 3_600_000

export const doubledName: Rule = (reading) => {
  if (reading.state !== 'missing') return undefined
  // A wildcard also matches the doubled name.
  const created = reading.servers.filter(
    ({ doubledSibling }) => recordsOfType(doubledSibling).length === 0,
  )
  const doubled = created.flatMap(({ doubled }) => recordsOfType(doubled))
  const records = plainRecords(doubled).filter(({ type }) => type !== 'TXT' && type !== 'CAA')
  const [first] = records
  if (first === undefined) return undefined
  const title = `The record was created at ${first.name}`
  const detail =
    `The provider added ${reading.apex} to the name that was entered, which ended with it ` +
    `already. ${reading.subject.host} has no record.`
  const add = createPointerFix(reading)
  const text = `Delete the record at ${first.name}. ${add.text} Enter nothing after ${reading.label}.`
  return blocks(title, detail, {
    fix: { ...add, text, remove: records },
    found: [first.name],
    expected: [reading.subject.host],
  })
}

function recordsOfType(facts: NameFacts | undefined) {
  return facts?.kind === 'records' ? [...facts.cname, ...facts.addresses] : []
}

export const noRecord: Rule = (reading) => {
  if (reading.state !== 'missing' || isUnregistered(reading)) return undefined
  if (doubledName(reading)) return undefined
  const { subject, at } = reading
  const wild = reading.pointers.flatMap((p) => (p.kind === 'nothing' ? (p.wildcard ?? []) : []))
  if (wild.length > 0) {
    return blocks(
      `${subject.host} has no record of its own; the wildcard answers`,
      `The wildcard (*) gives ${listed(wild.map(written))}. A record of its own wins over it, and the ` +
        `wildcard stays for the other names. If ${reading.label} has the same record itself, change that one.`,
      { fix: createPointerFix(reading) },
    )
  }
  const seconds = reading.pointers.flatMap((p) =>
    p.kind === 'nothing' && p.negativeTtlSeconds !== undefined ? [p.negativeTtlSeconds] : [],
  )
  const others = reading.pointers.flatMap((p) => (p.kind === 'nothing' ? p.others : []))
  const beside =
    others.length > 0 && !reading.isApex
      ? ` It has ${listed(others.map(written))}: a CNAME has to stand alone, so this must move to another name.`
      : ''
  const wildcard =
    hasWildcard(reading) === 'yes'
      ? ` The wildcard of ${reading.apex} does not reach it: a name with records at it or below it needs its own.`
      : ''
  const until = seconds.length > 0 ? at + Math.max(...seconds) * 1000 : undefined
  const caches = until === undefined ? '' : ' Resolvers may cache this answer for a while.'
  const where =
    reading.from === 'servers'
      ? `${counted(reading.answers.length, 'name server')} of ${reading.apex} answered`
      : 'The resolver answered'
  return blocks(
    `${subject.host} has no record yet`,
    `${where}: there is no ${reading.isApex ? 'address' : 'CNAME and no address'}.${beside}${wildcard}${caches}`,
    { fix: createPointerFix(reading), until },
  )
}

export const someServers: Rule = (reading) => {
  if (reading.state !== 'partial') return undefined
  const { answers } = reading
  const late = answers.filter(({ pointer }) => !pointsToUs(pointer))
  const of = `${answers.length - late.length} of ${counted(answers.length, 'name server')}`
  const names = listed(late.map(({ view }) => serverName(view.server)))
  const since = reading.claim.partialSince
  const isLong = since !== undefined && reading.at - since >= hourMs
  const title = isLong ? `${reading.apex} does not synchronise` : `${of} have the record`
  const lag = `${names} ${late.length === 1 ? 'does' : 'do'} not have it yet.`
  const until = readPropagation(reading).cachedUntil
  if (!isLong)
    return waits(title, `${lag} This usually takes minutes.`, {
      until,
    })
  const text = `Ask the DNS provider why ${names} did not receive the change.`
  const detail = `${of} have had the record for more than an hour; ${lag}`
  return blocks(title, detail, { fix: text, until })
}

export const oldCaches: Rule = (reading) => {
  const { resolver, at } = reading
  if (reading.state !== 'right' || reading.from !== 'servers' || resolver === undefined) {
    return undefined
  }
  if (reading.seen === undefined || pointsToUs(reading.seen)) return undefined
  const seconds = resolver.ttlSeconds
  const until = seconds === undefined ? undefined : at + seconds * 1000
  return waits(
    'The record is correct; caches still have the old one',
    `${serverName(resolver.server)} has the old record cached, as other resolvers may. ` +
      "They query again when it expires. You don't need to do anything.",
    { until },
  )
}
