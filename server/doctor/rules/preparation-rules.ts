// M01 to M13: what prevents a certificate from being issued before DNS points to us, told before anything is asked of
// the owner where that is possible. M05, M06 and M08 are items of the checklist before the switch.
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { PreparationFacts } from '../evidence.ts'
import {
  aliasesOfChallenge,
  dnameIn,
  isChallengeComplete,
  isPreparing,
  isSameResponse,
  ownRecords,
  type Reading,
  readChallenge,
  txtFaults,
} from '../reading.ts'
import {
  blocks,
  cnameRecord,
  counted,
  createFix,
  describeTxtFault,
  type Finding,
  inForm,
  inZone,
  listed,
  type PlainRecord,
  plainRecord,
  plainRecords,
  type Rule,
  serverName,
  waits,
  warns,
} from '../wording.ts'
import { isOfOtherPlatform, judgeSteps } from './caa-rules.ts'

type Preparing = Reading & { preparation: PreparationFacts }

function preparationRule(describe: (reading: Preparing) => Finding | undefined): Rule {
  return (reading) => (isPreparing(reading) ? describe(reading) : undefined)
}

/** The problems by which an authority is not used for a certificate before the switch. */
export const tooShort = 'windowTooShort'
export const notOfferedProblem = 'challengeNotOffered'

/** They do not prevent a certificate after the switch. */
export function isEarlyProblem(type: string): boolean {
  return type === tooShort || type === notOfferedProblem
}

export const caaOfOtherPlatform = preparationRule((reading) => {
  const set = judgeSteps(reading.caa, reading, ['dns-01'])
  if (!set || set.judgement.isAllowed || !isOfOtherPlatform(set.step, reading)) return undefined
  if (set.step.isOurTarget) return undefined
  const { host } = reading.subject
  const values = plainRecords(set.step.records).map(({ value }) => value)
  return blocks(
    `CAA at ${set.step.name}, to which ${host} points now, does not allow ${set.authority.domain}`,
    `While ${host} is a CNAME, the CAA records of its target apply: ${listed(values)}. Only the platform there can change them. No certificate can be issued before the switch.`,
    `Ask the platform behind ${set.step.name} to allow ${set.authority.domain}, or use A records for ${host} until the switch. Otherwise switch without a prepared certificate: it is issued within minutes after that.`,
  )
})

/** Who answers for the targets that platforms ask for. */
const operators: readonly [RegExp, string][] = [
  [/(^|\.)dcv\.cloudflare\.com$/, 'Cloudflare'],
  [/(^|\.)fastly-validations\.com$/, 'Fastly'],
  [/(^|\.)deno\.(dev|net)$/, 'Deno Deploy'],
  [/(^|\.)authorize\.certificatemanager\.goog$/, 'Google Cloud'],
  [/(^|\.)acme-dns\.io$/, 'acme-dns'],
]

export const challengeIsAlias = preparationRule((reading) => {
  const { apex, challenge, servers } = reading.preparation
  const { name } = challenge
  const targets = aliasesOfChallenge(reading.preparation)
  const [target] = targets
  const dname = dnameIn(servers.map(({ facts }) => facts))
  if (dname)
    return blocks(
      `${name} is below a DNAME record`,
      `The DNAME record at ${dname.name} takes every name below it to ${dname.target}: no TXT record can be added at this name.`,
      `Replace the DNAME record at ${dname.name} by records of the names below it, or switch without a prepared certificate.`,
    )
  if (target === undefined && apex === name) {
    const at = listed(servers.map(({ server }) => serverName(server)))
    const isLive = servers.some(({ facts }) => facts.kind !== 'failure')
    const deletion = `elete the NS records of ${inForm(name, reading.apex)} when you are about to switch.`
    return (isLive ? warns : blocks)(
      `${name} is a zone of its own`,
      `NS records delegate it${at && ` to ${at}`}: a TXT record in ${reading.apex} is not seen there. By it your current site may renew its certificate.`,
      isLive ? `Create the TXT record at ${at}; or d${deletion}` : `D${deletion}`,
    )
  }
  if (target === undefined) return undefined
  const operator = operators.find(([form]) => form.test(target))?.[1]
  const whose = operator ?? `the platform behind ${target}`
  const remove = targets.map((value) => cnameRecord(name, value))
  return blocks(
    `${name} is a CNAME to ${target}`,
    `A TXT record cannot stand beside it. By this CNAME ${whose} renews the certificate of your current site: without it, that certificate is not renewed any more.`,
    createFix(
      `Delete the CNAME record at ${inForm(name, reading.apex)} when you are about to switch. The certificate of the current site stays valid until it expires.`,
      remove,
    ),
    { found: targets },
  )
})

export const onlyWildcard = preparationRule((reading) => {
  const { preparation, servers, subject } = reading
  const { wildcard } = preparation
  const below = wildcard?.kind === 'records' || isEmpty(wildcard)
  const view = servers.find(({ sibling, state }) => state === 'ok' && sibling?.kind === 'records')
  if (!below || !view || !isSameResponse(view.host, view.sibling)) return undefined
  const own = plainRecords(ownRecords(view.host, subject.host))
  const { apex } = reading
  const texts = own.map(({ type, value }) => `${type} ${value}`)
  return blocks(
    `${subject.host} exists only by a wildcard`,
    `A TXT record below ${subject.host} would make the name exist without an address: the wildcard no longer applies to it, and your site is offline (RFC 4592, section 2.2.2).`,
    createFix(
      `First add a record for ${inForm(subject.host, apex)} itself${inZone(reading)}, with what the wildcard gives it now: ${listed(texts)}.`,
      [],
      own,
    ),
  )
})

export const wrongValue = preparationRule((reading) => {
  const { name, value } = reading.preparation.challenge
  const { fault } = readChallenge(reading) ?? {}
  if (!fault || value === undefined) return undefined
  const { before, misplaced, remove, values } = describeTxtFault(fault, { name, value })
  return blocks(
    misplaced ?? `The TXT record at ${name} has another value`,
    `${txtFaults[fault.how]} The certificate authority is not asked until it is right.`,
    addTxt(reading, value, before, remove),
    { ...values },
  )
})

function addTxt(reading: Preparing, value: string, before = '', remove: PlainRecord[] = []) {
  const { name } = reading.preparation.challenge
  const text = `${before}Add a TXT record${inZone(reading)}: name ${inForm(name, reading.apex)}, value ${value}`
  return createFix(text, remove, [plainRecord('TXT', name, value)])
}

/** Why the value of before is not valid any more. */
export const newValueReasons = {
  expired: 'The order at the certificate authority is open no longer.',
  refused: 'The certificate authority did not accept the value before it.',
  renewal: 'A renewal needs a new value.',
  canceled: 'The request before it was canceled.',
} as const

export const replacedValue = preparationRule((reading) => {
  const { former, name, until, value } = reading.preparation.challenge
  if (!former || value === undefined || isChallengeComplete(readChallenge(reading)))
    return undefined
  const label = inForm(name, reading.apex)
  return warns(
    `The TXT record at ${name} needs a new value`,
    `${newValueReasons[former.because]} The old value is not valid any more: ${former.value}`,
    createFix(
      `Change the TXT record at ${label} to ${value}`,
      [plainRecord('TXT', name, former.value)],
      [plainRecord('TXT', name, value)],
    ),
    { until },
  )
})

export const someServers = preparationRule((reading) => {
  const { name, until, value } = reading.preparation.challenge
  const progress = readChallenge(reading)
  if (!progress || value === undefined || progress.fault) return undefined
  const { failing, responding, updated } = progress
  if (isChallengeComplete(progress) && failing === 0) return undefined
  const isThere = updated > 0
  const silent = failing === 0 ? '' : ` ${counted(failing, 'other')} did not answer.`
  return waits(
    isThere
      ? `The TXT record at ${name} is on ${updated} of ${responding} name servers`
      : `Waiting for the TXT record at ${name}`,
    isThere
      ? `The certificate authority is asked once all of them have it.${silent} You don't need to do anything.`
      : 'The certificate authority is asked once every name server has it.',
    isThere ? undefined : addTxt(reading, value),
    { until },
  )
})

export const caaAfterSwitch = preparationRule((reading) => {
  const { caaAfter } = reading.preparation
  const set = judgeSteps(caaAfter, reading)
  const unknown = caaAfter.find(({ rcode }) => rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')
  if (!set && unknown) {
    return warns(
      `CAA at ${unknown.name}, which applies after the switch, is not known`,
      'The certificate can be issued now; whether it can be renewed is not known. We will check again.',
      'If this lasts, ask the DNS provider to answer CAA queries.',
    )
  }
  if (!set || set.judgement.isAllowed) return undefined
  const { authority, step } = set
  return warns(
    `After the switch, CAA at ${step.name} does not allow ${authority.domain}`,
    `The certificate can be issued now, but not renewed: renewals use ${listed(authority.methods)}, and this record does not allow that.`,
    step.isOurTarget
      ? undefined
      : `Add a CAA record at ${step.name}: 0 issue "${authority.domain}"`,
  )
})

/** `what`: the operator can configure another one. */
const earlyProblem = (type: string, does: string, what: string) =>
  preparationRule(({ certificate }) => {
    const problem = certificate?.problem
    if (problem?.type !== type) return undefined
    return blocks(
      `${problem.authority} ${does}`,
      problem.detail,
      `${what} can be configured by the operator. Otherwise switch without a prepared certificate: it is issued within minutes after that.`,
      { until: problem.retryAt },
    )
  })

export const orderTooShort = earlyProblem(
  tooShort,
  'does not wait long enough for a TXT record',
  'Another authority, or another profile,',
)

export const notOffered = earlyProblem(
  notOfferedProblem,
  'does not validate by DNS',
  'Another authority',
)

/** The name exists, without a record of this type. */
function isEmpty(facts: NameFacts | undefined): boolean {
  return facts?.kind === 'nothing' && facts.rcode === 'NOERROR'
}
