// T04 to T10: answers of the certificate authority, and certificates presented over TLS. They apply only
// after a certificate was requested.
import type { CertificateFacts } from '../evidence.ts'
import { isPreparing, type Reading } from '../reading.ts'
import { blocks, counted, type Finding, listed, type Rule, waits, warns } from '../wording.ts'
import { isEarlyProblem } from './preparation-rules.ts'

export type Problem = NonNullable<CertificateFacts['problem']>

const weekMs = 7 * 86_400_000

/** Problem types of a failed validation (RFC 8555, section 6.7). */
const notSeen = ['connection', 'dns', 'incorrectResponse', 'tls']
/** The authority or the order has ended; the next attempt begins anew. */
const temporary = ['badNonce', 'noAnswer', 'orderInvalid', 'orderNotReady', 'serverInternal']
const accountTypes = ['externalAccountRequired', 'userActionRequired']
const faultsOfProgram = ['badCSR', 'badPublicKey', 'badSignatureAlgorithm', 'malformed']

/** The answer as a sentence. */
export function quoteAnswer({ authority, detail, type }: Problem): string {
  if (type === 'noAnswer') return `${authority} gave no usable answer (${detail}).`
  return `${authority} answered ${type}: ${detail}${/[.!?]$/.test(detail) ? '' : '.'}`
}

/** It ends on a page that the answer names, and never by time: Let's Encrypt's pause of a host that failed for months. */
function isPause({ detail, retryAt, type }: Problem): boolean {
  const isMeant = /\bun-?pause|\bpaused\b|temporarily prevented/i.test(detail)
  return type === 'rateLimited' && retryAt === undefined && isMeant
}

/**
 * Whether it is about the account of this installation (RFC 8555, section 7.3), so that it concerns other hosts, too.
 * `unauthorized` is not: it may be about an order.
 */
export function isAboutAccount(problem: Problem): boolean {
  if (problem.operation === 'new account') return ruleFor(problem) === 'other'
  return isPause(problem) || accountTypes.includes(problem.type)
}

/** Whether only the operator can solve it. */
export function isForOperator(problem: Problem): boolean {
  return isAboutAccount(problem) || (ruleFor(problem) === 'other' && problem.type !== 'caa')
}

/** What the operator has to do about a problem that no owner can solve: the end of a sentence. */
export function operatorTask(problem: Problem): string {
  const { detail, operation, type } = problem
  const pages = detail.match(/https:\/\/[^\s"'<>;,]*[^\s"'<>;,.:)]/g) ?? []
  const page = pages.length > 0 ? listed(pages) : 'the page of the authority'
  if (isPause(problem)) return `open ${page} and end the pause there: it does not end with time`
  if (type === 'userActionRequired') return `open ${page} and agree to the terms there`
  if (type === 'externalAccountRequired') return 'set ACME_EAB to what the authority gives'
  if (operation === 'new account') return 'check ACME_EAB and ACME_EMAIL'
  if (type === 'unauthorized') return 'run animal-store certificates account on the server'
  if (type === 'invalidProfile') return 'correct ACME_PROFILE'
  if (faultsOfProgram.includes(type)) return 'update the program, or report the answer'
  return pages.length > 0 ? `open ${page}` : 'ask the authority what its answer means'
}

/** The one rule that explains a problem. Early ones (M11, M12) prevent nothing after the switch. */
function ruleFor(problem: Problem) {
  const { operation, status, type } = problem
  if (isEarlyProblem(type)) return 'early'
  if (isPause(problem) || accountTypes.includes(type)) return 'other'
  if (type === 'rateLimited' || status === 429) return 'rate limit'
  if (status >= 500 || temporary.includes(type)) return 'authority'
  if (operation === 'new account') return 'other'
  if (['rejectedIdentifier', 'unsupportedIdentifier'].includes(type)) return 'name'
  // As the answer to a request, it is about the account.
  const isRefused = type === 'unauthorized' && operation === undefined
  return isRefused || notSeen.includes(type) ? 'validation' : 'other'
}

function problemRule(
  kind: ReturnType<typeof ruleFor>,
  describe: (problem: Problem, reading: Reading, until: number | undefined) => Finding,
): Rule {
  return (reading) => {
    const { problem, retryAt } = reading.certificate ?? {}
    if (problem === undefined) return undefined
    const found = ruleFor(problem)
    const isPast = found === 'early' && !isPreparing(reading)
    if ((isPast ? 'authority' : found) !== kind) return undefined
    return describe(problem, reading, retryAt)
  }
}

export const notValidated = problemRule('validation', (problem, reading, until) => {
  const { probes, subject } = reading
  const isFine = probes.length > 0 && probes.every(({ outcome }) => outcome.kind === 'platform')
  const [title, detail, fix] =
    problem.type === 'dns' && /SERVFAIL|DNSSEC/i.test(problem.detail)
      ? [
          `${problem.authority} could not look up ${subject.host}`,
          ' Its resolvers check DNSSEC, and need an answer of every name server that they ask.',
          'Fix what the other diagnostics name. Without any, ask the DNS provider for broken DNSSEC signatures, and for name servers that do not answer everywhere. Then verify the domain.',
        ]
      : isFine && reading.state === 'right'
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
  return blocks(title, `${quoteAnswer(problem)}${detail}`, fix, { until })
})

export const rateLimited = problemRule('rate limit', (problem, { subject }, until) =>
  waits(
    `${problem.authority} limits requests for ${subject.host}`,
    `${quoteAnswer(problem)} We retry automatically. Do not remove and add the domain: that does not help.`,
    undefined,
    { until },
  ),
)

export const authorityFails = problemRule('authority', (problem, _, until) =>
  waits(
    `${problem.authority} did not complete the order`,
    `${quoteAnswer(problem)} You don't need to do anything; we retry. If it lasts, ask the operator.`,
    undefined,
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
    `${quoteAnswer(problem)}${detail}`,
    'Use another name, or ask the operator to configure a second authority.',
  )
})

export const refused = problemRule('other', (problem, { subject }, until) => {
  const fix = isForOperator(problem)
    ? `You don't need to do anything: the operator of this server has to ${operatorTask(problem)}. Your DNS is not the cause.`
    : 'Compare the CAA records at all name servers of the zone. Wait until caches have forgotten older ones, then verify the domain.'
  return blocks(
    `${problem.authority} refuses the certificate for ${subject.host}`,
    quoteAnswer(problem),
    fix,
    { until },
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
    'Look for a proxy in front of the name. If there is none, ask the operator.',
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
  return blocks(
    title,
    `Renewal fails: ${quoteAnswer(problem)}`,
    'Fix what the other diagnostics name; then it renews automatically.',
    { until: retryAt },
  )
}
