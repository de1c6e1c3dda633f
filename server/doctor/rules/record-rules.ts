// Whether the host can be a custom domain (D01), and which record it has. D05 and D07 to D09: a record at the wrong name, a
// missing one, one at some servers only, or a cached old one. D06 and D11 to D15: a CNAME with another target, beside other records, or at an apex.

import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import { readHostname } from '../hostname.ts'
import { mayEqual } from '../mark-difference.ts'
import { hasWildcard, judgeOwnership } from '../ownership.ts'
import { cachedDelegation, readPropagation } from '../propagation-clock.ts'
import { followChain, maxChainNames, type Pointer, pointsToUs, type Reading } from '../reading.ts'
import {
  answeredAt,
  blocks,
  cnameRecord,
  counted,
  createDeletion,
  createFix,
  createPointerFix,
  type Finding,
  type Fix,
  listed,
  plainRecords,
  type Rule,
  serverName,
  waits,
  warns,
  written,
} from '../wording.ts'
import { describeServerFix, isUnregistered } from './zone-rules.ts'

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
  return blocks(
    title,
    detail,
    { ...add, text, remove: records },
    { found: [first.name], expected: [reading.subject.host] },
  )
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
      createPointerFix(reading),
    )
  }
  const seconds = reading.pointers.flatMap((p) =>
    p.kind === 'nothing' && p.negativeTtlSeconds !== undefined ? [p.negativeTtlSeconds] : [],
  )
  const others = reading.pointers.flatMap((p) => (p.kind === 'nothing' ? p.others : []))
  const isBeside = others.length > 0 && !reading.isApex
  const beside = isBeside
    ? ` It has ${listed(others.map(written))}, and a CNAME has to stand alone.`
    : ''
  const before = isBeside ? `First move ${listed(others.map(written))} to another name. ` : ''
  const pointer = createPointerFix(reading)
  const wildcard =
    hasWildcard(reading) === 'yes'
      ? ` The wildcard of ${reading.apex} does not reach it: a name with records at it or below it needs its own.`
      : ''
  const until = seconds.length > 0 ? at + Math.max(...seconds) * 1000 : undefined
  const caches = until === undefined ? '' : ' Resolvers may cache this answer for a while.'
  const none = reading.isApex
    ? 'there is no address. If an ALIAS or ANAME record is there already, these servers do not follow it.'
    : 'there is no CNAME and no address.'
  return blocks(
    `${subject.host} has no record yet`,
    `${answeredAt(reading)}: ${none}${beside}${wildcard}${caches}`,
    { ...pointer, text: `${before}${pointer.text}` },
    { until },
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
  const lists = describeServerFix(
    reading,
    late.map(({ view }) => serverName(view.server)),
  )
  if (lists.isOneSided) return blocks(title, lag, lists.text, { until })
  if (!isLong) return waits(title, `${lag} This usually takes minutes.`, undefined, { until })
  const text = `Ask the DNS provider why ${names} did not receive the change.`
  const detail = `${of} have had the record for more than an hour; ${lag}`
  return blocks(title, detail, text, { until })
}

export const oldCaches: Rule = (reading) => {
  const { apex, resolver } = reading
  if (reading.state !== 'right' || reading.from !== 'servers' || resolver === undefined)
    return undefined
  if (reading.seen === undefined || pointsToUs(reading.seen)) return undefined
  const names = cachedDelegation(reading)?.names
  const what = names
    ? `the old delegation of ${apex} cached (${listed(names)}), and has the old record from there,`
    : 'the old record cached,'
  return waits(
    'The record is correct; caches still have the old one',
    `${serverName(resolver.server)} has ${what} as other resolvers may. ` +
      "They query again when it expires. You don't need to do anything.",
    undefined,
    { until: readPropagation(reading).resolver?.cachedUntil },
  )
}

export const notAHost: Rule = ({ subject, platform }) => {
  const { refused } = readHostname(subject.host, {
    hosts: platform.ownHosts,
    platformHost: platform.host,
  })
  if (refused === undefined) return undefined
  const title = `${subject.host} cannot be a custom domain`
  return blocks(title, refused)
}

type Cname = Pointer & { kind: 'cname' }

/** A rule for a host of which a judged answer is a CNAME with this destination. */
function cnameRule(
  pointsTo: Cname['pointsTo'],
  describe: (cname: { target: string; fix: Fix }, reading: Reading) => Finding,
): Rule {
  return (reading) => {
    const cname = reading.pointers.find(
      (p): p is Cname => p.kind === 'cname' && p.pointsTo === pointsTo,
    )
    if (cname === undefined) return undefined
    const { target } = cname
    return describe({ target, fix: createPointerFix(reading) }, reading)
  }
}

export const appendedValue = cnameRule('appended', (cname, reading) => {
  const { host: platformHost } = reading.platform
  const added = cname.target.slice(platformHost.length + 1)
  return blocks(
    `${added} was added to the value`,
    `The CNAME of ${reading.subject.host} points to ${cname.target}. The provider takes a value ` +
      'without a dot at its end as a name in the zone.',
    { ...cname.fix, text: `Enter the value with a dot at its end: ${platformHost}.` },
    { found: [cname.target], expected: [platformHost] },
  )
})

export const crowdedCname: Rule = (reading) => {
  const crowded = reading.pointers.flatMap((p) => (p.kind === 'crowded' ? [p] : []))
  if (crowded.length === 0) return undefined
  const { host } = reading.subject
  const { host: platformHost } = reading.platform
  const targets = [...new Set(crowded.flatMap((p) => p.targets))]
  const beside = crowded.flatMap((p) => p.beside)
  const wrong = targets.filter((name) => name !== platformHost)
  const cnames = wrong.map((value) => cnameRecord(host, value))
  // A CAA record protects the name: its owner decides where it goes.
  const remove = [...cnames, ...plainRecords(beside.filter(({ type }) => type !== 'CAA'))]
  const others = [...new Set(beside.map(written))]
  const title =
    others.length === 0
      ? `${host} has ${targets.length} CNAME records`
      : `${host} has other records beside its CNAME`
  const names = [...targets.map((name) => `CNAME ${name}`), ...others]
  const isCaa = (text: string) => text.startsWith('CAA ')
  const gone = listed(names.filter((text) => text !== `CNAME ${platformHost}` && !isCaa(text)))
  const isThere = reading.pointers.every(
    (p) => p.kind === 'crowded' && p.targets.includes(platformHost),
  )
  const fix = createFix(
    `${isThere ? 'Keep' : 'Add'} the CNAME record with the value ${platformHost}${gone && `, and delete ${gone} at ${host}`}. ` +
      `What has to stay${others.some(isCaa) ? ', such as CAA,' : ''} needs another name.`,
    createDeletion(reading, remove).remove,
    isThere ? [] : [cnameRecord(host, platformHost)],
  )
  return blocks(
    title,
    `It has ${listed(names)}. A CNAME must stand alone. ${answeredAt(reading)}.`,
    fix,
  )
}

export const otherTarget = cnameRule('elsewhere', (cname, reading) => {
  const { host } = reading.subject
  const { host: platformHost } = reading.platform
  const detail = cname.target.endsWith(`.${platformHost}`)
    ? `${cname.target} is the address of one project. The value is the platform's own name, for all of them.`
    : mayEqual(cname.target, platformHost)
      ? 'The two differ in few characters.'
      : `The CNAME points to ${cname.target}, so visitors of ${host} do not reach us.`
  const title = `${host} points to ${cname.target}, and must point to exactly ${platformHost}`
  const difference = { found: [cname.target], expected: [platformHost] }
  return blocks(title, `${detail} ${answeredAt(reading)}.`, cname.fix, { ...difference })
})

export const chain = cnameRule('chain', (cname, reading) => {
  const { host } = reading.subject
  const names = followChain(reading.chain, host, cname.target)
  const { claim, platform } = reading
  const isOpen = judgeOwnership(reading).provenBy === undefined && !claim.isProven
  const where = platform.verification
    ? `, at ${platform.verification.name} with the value ${platform.verification.value}`
    : ''
  const asks = isOpen
    ? ` To prevent the takeover of a forgotten name, a TXT record is required as well${where}.`
    : ''
  return (isOpen ? blocks : warns)(
    `${host} points to us through ${cname.target}`,
    `The chain is ${names.join(' → ')}: the owner of any name in it can send visitors elsewhere.${asks}`,
    cname.fix,
    { found: [cname.target], expected: [platform.host] },
  )
})

export const loop = cnameRule('loop', (cname, reading) => {
  const { host } = reading.subject
  const names = followChain(reading.chain, host, cname.target)
  const isLoop = new Set(names).size < names.length
  const title = isLoop
    ? `The CNAME of ${host} is in a loop`
    : `The CNAME chain of ${host} has ${names.length} names`
  const limit = isLoop ? 'It never resolves.' : `Resolvers may give up after ${maxChainNames}.`
  return blocks(title, `The chain is ${names.join(' → ')}. ${limit}`, cname.fix, {
    found: [cname.target],
    expected: [reading.platform.host],
  })
})

export const cnameAtApex: Rule = (reading) => {
  const targets = reading.pointers.flatMap((p) => (p.kind === 'cname at apex' ? p.targets : []))
  if (targets.length === 0) return undefined
  const { host } = reading.subject
  return blocks(
    `${host} has a CNAME, and is the top of its zone`,
    `A CNAME (to ${listed(targets)}) hides the zone's own records there: mail for @${host} and the ` +
      'zone itself may stop working.',
    createPointerFix(reading),
  )
}
