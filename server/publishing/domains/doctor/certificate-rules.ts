// T04 to T09: answers of the certificate authority, and certificates presented over TLS. They apply only
// after a certificate was requested.
import type { CertificateFacts } from '../evidence/evidence.ts'
import type { Rule } from './diagnostic.ts'
import { readEvidence } from './reading.ts'
import { blocks, counted, listed, waits, warns } from './wording.ts'

type Problem = NonNullable<CertificateFacts['problem']>

const weekMs = 7 * 86_400_000

/** Problem types of a failed validation (RFC 8555, section 6.7). */
const notSeen = ['connection', 'dns', 'incorrectResponse', 'tls', 'unauthorized']

const quoted = ({ authority, type, detail }: Problem) =>
  type === 'noAnswer'
    ? `${authority} gave no usable answer (${detail})`
    : `${authority} answered ${type}: ${detail}`

export const elsewhereBlocked: Rule = (evidence) => {
  const problem = evidence.certificate?.problem
  if (problem === undefined || !notSeen.includes(problem.type)) return undefined
  const { probes } = evidence
  const isFine = probes.length > 0 && probes.every(({ outcome }) => outcome.kind === 'platform')
  if (!isFine || readEvidence(evidence).state !== 'right') return undefined
  return blocks(
    `${evidence.subject.host} works from here, but ${problem.authority} cannot reach it`,
    `${quoted(problem)}. It validates from several places in the world, and one of them sees something different.`,
    {
      fix: 'Look for DNS that differs by country, and for a firewall that blocks by country.',
      until: evidence.certificate?.retryAt,
    },
  )
}

export const rateLimited: Rule = ({ certificate, subject }) => {
  if (certificate?.problem?.type !== 'rateLimited') return undefined
  return waits(
    `${certificate.problem.authority} limits requests for ${subject.host}`,
    `${quoted(certificate.problem)}. We retry automatically. Do not remove and add the domain: that does not help.`,
    { until: certificate.retryAt },
  )
}

export const authorityFails: Rule = ({ certificate }) => {
  const problem = certificate?.problem
  if (problem === undefined) return undefined
  if (problem.status < 500 && !['badNonce', 'serverInternal'].includes(problem.type))
    return undefined
  return waits(
    `${problem.authority} has an internal error`,
    `${quoted(problem)}. You don't need to do anything; we retry.`,
    { until: certificate?.retryAt },
  )
}

export const rejected: Rule = ({ certificate, subject, platform }) => {
  const problem = certificate?.problem
  if (problem?.type !== 'rejectedIdentifier') return undefined
  const others = platform.authorities.filter(({ domain }) => domain !== problem.authority)
  const next = others.map(({ domain }) => domain)
  const detail =
    next.length > 0 ? ` We ask ${listed(next)} instead.` : ' No other authority is configured.'
  return blocks(
    `${problem.authority} does not issue for ${subject.host}`,
    `${quoted(problem)}.${detail}`,
    { fix: 'Use another name, or ask the operator to configure a second authority.' },
  )
}

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
