// C01 to C08: whether CAA (RFC 8659, RFC 8657) allows our certificate authorities to issue. An authority that
// must refuse gets no request.

import {
  type CaaJudgement,
  type CaaStep,
  caaSetIn,
  evaluateCaa,
  narrowReading,
} from '#dns/caa/find-caa.ts'
import type { PlatformFacts } from '../evidence.ts'
import { isPreparing, type Reading } from '../reading.ts'
import {
  blocks,
  createFix,
  type Finding,
  type Fix,
  fine,
  inForm,
  inZone,
  listed,
  type PlainRecord,
  plainRecords,
  type Rule,
  recordTtlSeconds,
  warns,
} from '../wording.ts'

type Authority = PlatformFacts['authorities'][number]

/** The CAA set that applies, judged for the first authority that it allows, or else that it names. */
function judgeSet(reading: Reading) {
  return judgeSteps(reading.caa, reading, isPreparing(reading) ? ['dns-01'] : undefined)
}

/** `methods`: those of each authority by default. */
export function judgeSteps(
  steps: readonly CaaStep[],
  reading: Reading,
  methods?: readonly string[],
) {
  const step = caaSetIn(steps)
  const [first] = reading.platform.authorities
  // What is not known is said by `failing`, which blocks.
  if (typeof step === 'string' || first === undefined) return undefined
  const judged = reading.platform.authorities.flatMap((authority) =>
    (methods ?? authority.methods).map((method) => {
      const { accountUri, domain } = authority
      const request = { issuers: [domain], method, accountUri }
      return { authority, judgement: evaluateCaa(step.records, request) }
    }),
  )
  const best =
    judged.find(({ judgement }) => judgement.isAllowed) ??
    judged.find(({ judgement }) => isBound(judgement)) ??
    judged[0]
  return best && { step, ...best }
}

/** Whether CAA was found by following the host's CNAME to a name that is not above the host. */
export function isOfOtherPlatform({ name }: CaaStep, { subject }: Reading): boolean {
  return name !== subject.host && !subject.host.endsWith(`.${name}`)
}

function isBound(judgement: CaaJudgement): boolean {
  return judgement.because === 'account' || judgement.because === 'method'
}

/** A CAA record that allows the authority, with our account and methods when the existing one has them. */
function lineFor(name: string, { domain, accountUri, methods }: Authority, isBinding: boolean) {
  const account = accountUri === undefined ? '' : `; accounturi=${accountUri}`
  const bound = isBinding ? `${account}; validationmethods=${methods.join(',')}` : ''
  const value = `0 issue "${domain}${bound}"`
  return { name, type: 'CAA', value, ttlSeconds: recordTtlSeconds } as const satisfies PlainRecord
}

/**
 * CAA records add up (RFC 8659, section 4.2), so those of others stay. They are shown because some providers have one
 * entry for all CAA records of a name.
 */
function addLine(reading: Reading, line: PlainRecord, { records }: CaaStep): Fix {
  const name = inForm(line.name, reading.apex)
  const others = listed(plainRecords(records).map(({ value }) => value))
  const text = `Add a CAA record${inZone(reading, line.name)}: name ${name}, value ${line.value}. Keep what is there: ${others}`
  return createFix(text, [], [line])
}

/** A rule for a CAA set of the owner (not of the platform) that forbids issuing for one of these reasons. */
function caaRule(
  because: readonly string[],
  describe: (set: NonNullable<ReturnType<typeof judgeSet>>, reading: Reading) => Finding,
): Rule {
  return (reading) => {
    const set = judgeSet(reading)
    if (set === undefined || set.judgement.isAllowed || set.step.isOurTarget) return undefined
    // The set of another platform, to which the host points now, is none that the owner can change (M01).
    if (isPreparing(reading) && isOfOtherPlatform(set.step, reading)) return undefined
    return because.includes(set.judgement.because) ? describe(set, reading) : undefined
  }
}

export const notListed = caaRule(['not listed'], ({ step, authority, judgement }, reading) => {
  const others = judgement.isAllowed ? [] : judgement.listed
  const title = `CAA at ${step.name} allows only ${listed(others)}`
  const detail = `${authority.domain} cannot issue this certificate.${malformedIn(judgement)}`
  return blocks(title, detail, addLine(reading, lineFor(step.name, authority, false), step))
})

export const allForbidden = caaRule(
  ['nobody', 'malformed'],
  ({ step, authority, judgement }, reading) => {
    const forbidding = step.records.filter(({ tag }) => tag.toLowerCase() === 'issue')
    const values = plainRecords(forbidding)
    const malformed = malformedIn(judgement).trim()
    const nobody = `It has ${listed(values.map(({ value }) => value))}, which names no authority.`
    return blocks(
      malformed
        ? `CAA at ${step.name} is malformed, and forbids every authority`
        : `CAA at ${step.name} forbids every authority`,
      malformed || nobody,
      addLine(reading, lineFor(step.name, authority, false), step),
    )
  },
)

const charNames: Record<string, string> = { ' ': 'a space', '\t': 'a tab', '"': 'a quote' }

/** The first malformed record and what is wrong with it, as a sentence after another; empty without one. */
function malformedIn(judgement: CaaJudgement): string {
  if (judgement.isAllowed || judgement.malformed === undefined) return ''
  const { before, char, record } = judgement.malformed
  const last = before.split(';').at(-1)?.trim().slice(-maxShown)
  const shown = /[!-~]/.test(char) ? `"${char}"` : 'a character beyond printable ASCII'
  const what =
    char !== ''
      ? `${charNames[char] ?? shown} ${last ? `after "${last}"` : 'where a name belongs'}`
      : last
        ? `no "=" after "${last}"`
        : 'a semicolon at its end'
  const [plain] = plainRecords([record])
  return ` ${plain?.value} has ${what}: a malformed record names no authority.`
}

const maxShown = 60

export const platformCaaForbids: Rule = (reading) => {
  const set = judgeSet(reading)
  if (set === undefined || set.judgement.isAllowed || !set.step.isOurTarget) return undefined
  return blocks(
    `CAA at ${set.step.name} blocks the certificate, and the operator must fix it`,
    `${reading.subject.host} points there, and the platform's own CAA record does not allow ` +
      `${set.authority.domain}. You don't need to do anything; the operator is notified.`,
  )
}

export const bound = caaRule(['account', 'method'], ({ step, authority, judgement }, reading) => {
  const record = judgement.isAllowed ? undefined : judgement.record
  const records = record ? plainRecords([record]) : []
  const what = judgement.because === 'account' ? 'another account' : 'other methods of validation'
  // While the certificate is prepared, one more method is needed.
  const methods = [...(isPreparing(reading) ? ['dns-01'] : []), ...authority.methods]
  const line = lineFor(step.name, { ...authority, methods }, true)
  return blocks(
    `CAA at ${step.name} binds ${authority.domain} to ${what}`,
    judgement.because === 'account'
      ? `Only the account named there may request certificates; ours is ${authority.accountUri ?? 'not created yet'}.`
      : `Only the methods named there may be used; ours are ${listed(methods)}.`,
    addLine(reading, line, step),
    { found: records.map(({ value }) => value), expected: [line.value] },
  )
})

export const unknownTag = caaRule(['unknown critical'], ({ step, judgement }) => {
  const record = judgement.isAllowed ? undefined : judgement.record
  return blocks(
    `CAA at ${step.name} has a critical tag that no authority knows`,
    `The tag "${record?.tag}" is marked as critical: an authority that does not know it must refuse.`,
    clearFlags(step, record),
  )
})

function clearFlags({ name }: CaaStep, record: CaaStep['records'][number] | undefined): string {
  const [plain] = plainRecords(record ? [record] : [])
  return `Set the flags of the CAA record ${plain?.value} at ${name} to 0. Ask who added it before you delete it.`
}

const letsEncrypt = 'letsencrypt.org'
const narrowReadings = {
  'letter case': 'compares its name by upper and lower case',
  hyphen: 'accepts no hyphen in the tag of a parameter',
  'flag 1': 'treats the flags 1 as critical, and does not know the tag',
}

export const readNarrowly: Rule = (reading) => {
  const set = judgeSet(reading)
  const authority = reading.platform.authorities.find(({ domain }) => domain === letsEncrypt)
  if (!set || !authority || set.step.isOurTarget) return undefined
  const { accountUri, domain, methods } = authority
  const { step } = set
  const found = (isPreparing(reading) ? ['dns-01'] : methods).flatMap((method) => {
    const request = { issuers: [domain], method, accountUri }
    const isAllowed = evaluateCaa(step.records, request).isAllowed
    return isAllowed ? [narrowReading(step.records, request)] : []
  })
  const [first] = found
  if (!first || found.includes(undefined)) return undefined
  const { because, record } = first
  const [plain] = plainRecords([record])
  const line = lineFor(step.name, authority, record.value.includes('='))
  return warns(
    `Let's Encrypt refuses CAA at ${step.name}`,
    `${plain?.value} is no obstacle by the standard (RFC 8659), but Let's Encrypt ${narrowReadings[because]}: it will refuse.`,
    because === 'flag 1' ? clearFlags(step, record) : addLine(reading, line, step),
  )
}

export const failing: Rule = (reading) => {
  const { from, pointers } = reading
  // Without any answer D03 applies; with a CNAME loop, D14.
  const isLoop = pointers.some((pointer) => pointer.kind === 'cname' && pointer.pointsTo === 'loop')
  const isDead = from === 'none' || (from === 'resolver' && reading.servers.length > 0)
  if (isDead || isLoop) return undefined
  if (caaSetIn(reading.caa) !== 'unknown') return undefined
  const step = reading.caa.at(-1)
  if (step === undefined || step.rcode === 'not-asked') {
    return blocks(
      `CAA at ${step?.name ?? reading.subject.host} is not known yet`,
      'The check ended before this name was asked for it. No certificate is requested until it is known; we will check again.',
    )
  }
  const response = step.rcode === 'failure' ? 'do not answer' : `answer ${step.rcode}`
  const others = from === 'servers' ? 'They answer other questions, and' : 'They'
  return blocks(
    `The name servers fail when asked for CAA at ${step.name}`,
    `${others} ${response} to this one. An authority must then refuse.`,
    'Ask the DNS provider to answer CAA queries, or move the DNS to one that does.',
  )
}

export const wildcardsOnly: Rule = (reading) => {
  const set = judgeSet(reading)
  const tags = set?.step.records.map(({ tag }) => tag.toLowerCase()) ?? []
  if (set === undefined || !set.judgement.isAllowed || set.judgement.because !== 'no rule')
    return undefined
  if (!tags.includes('issuewild')) return undefined
  return fine(
    `CAA at ${set.step.name} restricts only wildcards`,
    `It has only "issuewild", so a certificate can be issued for ${reading.subject.host}.`,
  )
}
