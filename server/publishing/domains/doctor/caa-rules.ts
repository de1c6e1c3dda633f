// C01 to C07: what CAA (RFC 8659, RFC 8657) lets the authorities do that we ask. Nobody is asked who must refuse.

import type { CaaStep } from '../../dns/caa/find-caa.ts'
import { type CaaJudgement, evaluateCaa } from '../../dns/caa/judge-caa.ts'
import type { Evidence, PlatformFacts } from '../evidence/evidence.ts'
import type { Diagnostic, DiagnosticCode, Fix, PlainRecord } from './diagnostic.ts'
import { readEvidence } from './reading.ts'
import type { Rule } from './rule.ts'
import { inForm, listed, mend, plainRecords, recordTtlSeconds, say } from './wording.ts'

type Authority = PlatformFacts['authorities'][number]

/** The set that decides, and what it says of the authority that comes nearest to being allowed. */
function judgeSet(evidence: Evidence) {
  const step = evidence.caa.find(({ records }) => records.length > 0)
  const [first] = evidence.platform.authorities
  if (step === undefined || first === undefined) return undefined
  const judged = evidence.platform.authorities.flatMap((authority) =>
    authority.methods.map((method) => ({
      authority,
      judgement: judgeFor(step, authority, method),
    })),
  )
  const best =
    judged.find(({ judgement }) => judgement.isAllowed) ??
    judged.find(({ judgement }) => isBound(judgement)) ??
    judged[0]
  return best && { step, ...best }
}

function judgeFor({ records }: CaaStep, authority: Authority, method: string): CaaJudgement {
  const { domain, accountUri } = authority
  return evaluateCaa(records, {
    issuers: [domain],
    method,
    ...(accountUri !== undefined && { accountUri }),
  })
}

function isBound(judgement: CaaJudgement): boolean {
  return judgement.because === 'account' || judgement.because === 'method'
}

/** A line that allows the authority; bound to our account and methods where the other was. */
function lineFor(name: string, { domain, accountUri, methods }: Authority, isBinding: boolean) {
  const account = accountUri === undefined ? '' : `; accounturi=${accountUri}`
  const bound = isBinding ? `${account}; validationmethods=${methods.join(',')}` : ''
  const value = `0 issue "${domain}${bound}"`
  return { name, type: 'CAA', value, ttlSeconds: recordTtlSeconds } as const satisfies PlainRecord
}

function addLine(evidence: Evidence, line: PlainRecord, remove: PlainRecord[] = []): Fix {
  const gone =
    remove.length === 0 ? '' : `Delete ${listed(remove.map(({ value }) => `CAA ${value}`))}. `
  const name = inForm(line.name, readEvidence(evidence).zone)
  return mend(`${gone}Add a CAA record: name ${name}, value ${line.value}`, remove, [line])
}

/** A rule over the deciding set where it is the owner's, and forbids for one of the reasons. */
function caaRule(
  code: DiagnosticCode,
  because: readonly string[],
  speak: (set: NonNullable<ReturnType<typeof judgeSet>>, evidence: Evidence) => Diagnostic,
): Rule {
  return {
    code,
    judge(evidence) {
      const set = judgeSet(evidence)
      if (set === undefined || set.judgement.isAllowed || set.step.isOurTarget) return undefined
      return because.includes(set.judgement.because) ? speak(set, evidence) : undefined
    },
  }
}

const notListed = caaRule('C01', ['not listed'], ({ step, authority, judgement }, evidence) => {
  const others = judgement.isAllowed ? [] : judgement.listed
  const title = `CAA at ${step.name} allows only ${listed(others)}`
  const detail = `${authority.domain} cannot issue this certificate.`
  return say('C01', 'blocks', title, detail, {
    fix: addLine(evidence, lineFor(step.name, authority, false)),
  })
})

const nobody = caaRule('C02', ['nobody', 'malformed'], ({ step, authority }, evidence) => {
  const forbidding = step.records.filter(({ tag }) => tag.toLowerCase() === 'issue')
  const values = plainRecords(forbidding)
  return say(
    'C02',
    'blocks',
    `CAA at ${step.name} forbids every authority`,
    `It has ${listed(values.map(({ value }) => value))}, which names no authority.`,
    { fix: addLine(evidence, lineFor(step.name, authority, false), values) },
  )
})

const oursToMend: Rule = {
  code: 'C03',
  judge(evidence) {
    const set = judgeSet(evidence)
    if (set === undefined || set.judgement.isAllowed || !set.step.isOurTarget) return undefined
    return say(
      'C03',
      'blocks',
      `CAA at ${set.step.name} blocks the certificate, and the operator must fix it`,
      `${evidence.subject.host} points there, and the platform's own CAA record does not allow ` +
        `${set.authority.domain}. You don't need to do anything; the operator is notified.`,
    )
  },
}

const bound = caaRule('C04', ['account', 'method'], ({ step, authority, judgement }, evidence) => {
  const record = judgement.isAllowed ? undefined : judgement.record
  const found = record ? plainRecords([record]) : []
  const what = judgement.because === 'account' ? 'another account' : 'other methods of validation'
  const line = lineFor(step.name, authority, true)
  return say(
    'C04',
    'blocks',
    `CAA at ${step.name} binds ${authority.domain} to ${what}`,
    judgement.because === 'account'
      ? `Only the account named there may request certificates; ours is ${authority.accountUri ?? 'not created yet'}.`
      : `Only the methods named there may be used; ours are ${listed(authority.methods)}.`,
    {
      fix: addLine(evidence, line, found),
      found: found.map(({ value }) => value),
      expected: [line.value],
    },
  )
})

const unknownTag = caaRule('C05', ['unknown critical'], ({ step, judgement }) => {
  const record = judgement.isAllowed ? undefined : judgement.record
  const found = record ? plainRecords([record]) : []
  const tag = record?.tag ?? ''
  const text = `Delete the CAA record ${listed(found.map(({ value }) => value))} at ${step.name}, or make its flags 0.`
  return say(
    'C05',
    'blocks',
    `CAA at ${step.name} has a critical tag that no authority knows`,
    `The tag "${tag}" is marked as critical: an authority that does not know it must refuse.`,
    { fix: mend(text, found) },
  )
})

const failing: Rule = {
  code: 'C06',
  judge(evidence) {
    const { from, pointers } = readEvidence(evidence)
    // Where nothing at all is answered, D03 has said so; and where aliases lead in a circle, D14.
    const isLoop = pointers.some((pointer) => pointer.kind === 'cname' && pointer.leads === 'loop')
    if (from === 'nobody' || isLoop) return undefined
    const decides = evidence.caa.findIndex(({ records }) => records.length > 0)
    const asked = decides < 0 ? evidence.caa : evidence.caa.slice(0, decides)
    const step = asked.find(({ rcode }) => rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')
    if (step === undefined) return undefined
    // No time was left for it: that says nothing of the servers.
    if (step.rcode === 'not-asked') return undefined
    const answer = step.rcode === 'failure' ? 'do not answer' : `answer ${step.rcode}`
    return say(
      'C06',
      'blocks',
      `The name servers fail when asked for CAA at ${step.name}`,
      `They answer other questions, and ${answer} to this one. An authority must then refuse.`,
      {
        fix: mend('Ask the DNS provider to answer CAA queries, or move the DNS to one that does.'),
      },
    )
  },
}

const wildcardsOnly: Rule = {
  code: 'C07',
  judge(evidence) {
    const set = judgeSet(evidence)
    const tags = set?.step.records.map(({ tag }) => tag.toLowerCase()) ?? []
    if (set === undefined || !set.judgement.isAllowed || set.judgement.because !== 'no rule') {
      return undefined
    }
    if (!tags.includes('issuewild')) return undefined
    return say(
      'C07',
      'fine',
      `CAA at ${set.step.name} speaks of wildcards alone`,
      `It has only "issuewild", so ${evidence.subject.host} may have its certificate.`,
    )
  },
}

export const caaRules: readonly Rule[] = [
  notListed,
  nobody,
  oursToMend,
  bound,
  unknownTag,
  failing,
  wildcardsOnly,
]
