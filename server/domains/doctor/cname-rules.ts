// D06 and D11 to D15: a CNAME with another target, beside other records, or at an apex.
import type { Finding, Fix, Rule } from './diagnostic.ts'
import { mayEqual } from './mark-difference.ts'
import { judgeOwnership } from './ownership.ts'
import { followChain, type Pointer, type Reading } from './reading.ts'
import {
  blocks,
  cnameRecord,
  createFix,
  createPointerFix,
  listed,
  plainRecords,
  warns,
  written,
} from './wording.ts'

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
    const record = cnameRecord(reading.subject.host, target)
    return describe({ target, fix: createPointerFix(reading, [record]) }, reading)
  }
}

export const appendedValue = cnameRule('appended', (cname, reading) => {
  const { host: platformHost } = reading.platform
  const added = cname.target.slice(platformHost.length + 1)
  return blocks(
    `${added} was added to the value`,
    `The CNAME of ${reading.subject.host} points to ${cname.target}. The provider takes a value ` +
      'without a dot at its end as a name in the zone.',
    {
      fix: { ...cname.fix, text: `Enter the value with a dot at its end: ${platformHost}.` },
      found: [cname.target],
      expected: [platformHost],
    },
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
  const remove = [...cnames, ...plainRecords(beside)]
  const others = [...new Set(beside.map(written))]
  const title =
    others.length === 0
      ? `${host} has ${targets.length} CNAME records`
      : `${host} has other records beside its CNAME`
  const names = [...targets.map((name) => `CNAME ${name}`), ...others]
  const gone = listed([...wrong.map((name) => `CNAME ${name}`), ...others])
  const fix = targets.includes(platformHost)
    ? createFix(
        `Keep the CNAME record with the value ${platformHost}, and delete ${gone} at ${host}. ` +
          'What has to stay needs another name.',
        reading.hasOwn === 'yes' ? remove : [],
      )
    : createPointerFix(reading, remove)
  return blocks(title, `It has ${listed(names)}. A CNAME must stand alone.`, {
    fix,
  })
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
  const found = { found: [cname.target], expected: [platformHost] }
  return blocks(title, detail, { fix: cname.fix, ...found })
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
    { fix: cname.fix, found: [cname.target], expected: [platform.host] },
  )
})

export const loop = cnameRule('loop', (cname, reading) => {
  const { host } = reading.subject
  const names = followChain(reading.chain, host, cname.target)
  const isLoop = new Set(names).size < names.length
  const title = isLoop
    ? `The CNAME of ${host} is in a loop`
    : `The CNAME chain of ${host} has ${names.length} names`
  const limit = isLoop ? 'It never resolves.' : 'Resolvers may give up after 8.'
  return blocks(title, `The chain is ${names.join(' → ')}. ${limit}`, {
    fix: cname.fix,
    found: [cname.target],
    expected: [reading.platform.host],
  })
})

export const cnameAtApex: Rule = (reading) => {
  const targets = reading.pointers.flatMap((p) => (p.kind === 'cname at apex' ? p.targets : []))
  if (targets.length === 0) return undefined
  const { host } = reading.subject
  const remove = [...new Set(targets)].map((value) => cnameRecord(host, value))
  return blocks(
    `${host} has a CNAME, and is the top of its zone`,
    `A CNAME (to ${listed(targets)}) hides the zone's own records there: mail for @${host} and the ` +
      'zone itself may stop working.',
    { fix: createPointerFix(reading, remove) },
  )
}
