// T04 to T10: answers of the certificate authority, and certificates presented over TLS. They apply only
// after a certificate was requested.
import type { CertificateFacts } from '../evidence.ts'
import type { Reading } from '../reading.ts'
import { blocks, counted, type Finding, listed, type Rule, waits, warns } from '../wording.ts'
import { isEarlyProblem } from './preparation-rules.ts'

type Problem = NonNullable<CertificateFacts['problem']>

const weekMs = 7 * 86_400_000

/** Problem types of a failed validation (RFC 8555, section 6.7). */
const notSeen = ['connection', 'dns', 'incorrectResponse', 'tls', 'unauthorized']

/** What the operator does about problems of the account (RFC 8555, section 7.3). */
const operatorTasks: Record<string, string> = {
  externalAccountRequired: 'set ACME_EAB to what the authority gives',
  unauthorized: 'ask the authority why it does not accept the account of this installation',
  userActionRequired: 'open the page that the answer names, and agree to the terms there',
}

const quoted = ({ authority, type, detail }: Problem) =>
  type === 'noAnswer'
    ? `${authority} gave no usable answer (${detail})`
    : `${authority} answered ${type}: ${detail}`

/** The one rule that explains a problem. Early ones (M11, M12) prevent nothing after the switch. */
function ruleFor({ operation, status, type }: Problem) {
  if (isEarlyProblem(type)) return 'early'
  if (type === 'rateLimited') return 'rate limit'
  if (status >= 500 || ['badNonce', 'serverInternal'].includes(type)) return 'authority'
  if (['rejectedIdentifier', 'unsupportedIdentifier'].includes(type)) return 'name'
  // As the answer to a request, the same types are about the account.
  return operation === undefined && notSeen.includes(type) ? 'validation' : 'other'
}

function problemRule(
  kind: ReturnType<typeof ruleFor>,
  describe: (problem: Problem, reading: Reading, until: number | undefined) => Finding,
): Rule {
  return (reading) => {
    const { problem, retryAt } = reading.certificate ?? {}
    if (problem === undefined || ruleFor(problem) !== kind) return undefined
    return describe(problem, reading, retryAt)
  }
}

export const notValidated = problemRule('validation', (problem, reading, until) => {
  const { probes, subject } = reading
  const isFine = probes.length > 0 && probes.every(({ outcome }) => outcome.kind === 'platform')
  const [title, detail, fix] =
    isFine && reading.state === 'right'
      ? [
          `${subject.host} works from here, but ${problem.authority} cannot reach it`,
          ' It validates from several places in the world, and one of them sees something different.',
          'Look for DNS that differs by country, and for a firewall that blocks by country.',
        ]
      : [
          `${problem.authority} could not validate ${subject.host}`,
          '',
          'Fix what the other diagnostics name, then verify the domain.',
        ]
  return blocks(title, `${quoted(problem)}.${detail}`, { fix, until })
})

export const rateLimited = problemRule('rate limit', (problem, { subject }, until) =>
  waits(
    `${problem.authority} limits requests for ${subject.host}`,
    `${quoted(problem)}. We retry automatically. Do not remove and add the domain: that does not help.`,
    // A pause without an end ends on a page that it names.
    {
      fix: problem.retryAt ? undefined : 'If it asks to visit a page, the operator has to do that.',
      until,
    },
  ),
)

export const authorityFails = problemRule('authority', (problem, _, until) =>
  waits(
    `${problem.authority} has an internal error`,
    `${quoted(problem)}. You don't need to do anything; we retry.`,
    { until },
  ),
)

export const rejected = problemRule('name', (problem, { subject, platform }) => {
  const others = platform.authorities.filter(({ domain }) => domain !== problem.authority)
  const next = others.map(({ domain }) => domain)
  const detail =
    next.length > 0 ? ` We ask ${listed(next)} instead.` : ' No other authority is configured.'
  return blocks(
    `${problem.authority} does not issue for ${subject.host}`,
    `${quoted(problem)}.${detail}`,
    { fix: 'Use another name, or ask the operator to configure a second authority.' },
  )
})

export const refused = problemRule('other', (problem, { subject }, until) => {
  const task = operatorTasks[problem.type] ?? 'fix what the answer names'
  const fix =
    problem.type === 'caa'
      ? 'Compare the CAA records at all name servers of the zone. Wait until caches have forgotten older ones, then verify the domain.'
      : `The operator has to ${task}. Your DNS is not the cause.`
  return blocks(
    `${problem.authority} refuses the certificate for ${subject.host}`,
    `${quoted(problem)}.`,
    { fix, until },
  )
})

export const otherCertificate: Rule = ({ certificate, subject }) => {
  const { fingerprint, seen = [] } = certificate ?? {}
  if (fingerprint === undefined) return undefined
  const others = seen.filter((each) => each.fingerprint !== fingerprint)
  const [first] = others
  if (first === undefined) return undefined
  const at = listed(others.map(({ address }) => address))
  return warns(
    `Another certificate is presented at ${at}`,
    `It is from ${first.issuer}. It is not the certificate that was issued for ${subject.host}.`,
    { fix: 'Look for a proxy in front of the name. If there is none, ask the operator.' },
  )
}

export const expiresSoon: Rule = ({ certificate, subject, at }) => {
  const { expiresAt, problem, retryAt } = certificate ?? {}
  if (expiresAt === undefined || problem === undefined || expiresAt - at >= weekMs) return undefined
  const days = Math.max(0, Math.floor((expiresAt - at) / 86_400_000))
  const title =
    expiresAt <= at
      ? `The certificate of ${subject.host} has expired`
      : `The certificate of ${subject.host} expires in ${days < 1 ? 'less than a day' : counted(days, 'day')}`
  return blocks(title, `Renewal fails: ${quoted(problem)}.`, {
    fix: 'Fix what the other diagnostics name; then it renews automatically.',
    until: retryAt,
  })
}
