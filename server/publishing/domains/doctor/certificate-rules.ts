// T04 to T09: answers of the certificate authority, and certificates presented over TLS. They apply only
// after a certificate was requested.
import type { CertificateFacts } from '../evidence/evidence.ts'
import { readEvidence } from './reading.ts'
import type { Rule } from './rule.ts'
import { counted, createDiagnostic, createFix, listed } from './wording.ts'

type Problem = NonNullable<CertificateFacts['problem']>

const weekMs = 7 * 86_400_000

/** Problem types of a failed validation (RFC 8555, section 6.7). */
const notSeen = ['connection', 'dns', 'incorrectResponse', 'tls', 'unauthorized']

const quoted = ({ authority, type, detail }: Problem) =>
  type === 'noAnswer'
    ? `${authority} gave no usable answer (${detail})`
    : `${authority} answered ${type}: ${detail}`

const elsewhereBlocked: Rule = {
  code: 'T04',
  judge(evidence) {
    const problem = evidence.certificate?.problem
    if (problem === undefined || !notSeen.includes(problem.type)) return undefined
    const { probes } = evidence
    const isFine = probes.length > 0 && probes.every(({ outcome }) => outcome.kind === 'platform')
    if (!isFine || readEvidence(evidence).state !== 'right') return undefined
    return createDiagnostic(
      'T04',
      'blocks',
      `${evidence.subject.host} works from here, but ${problem.authority} cannot reach it`,
      `${quoted(problem)}. It validates from several places in the world, and one of them sees something different.`,
      {
        fix: createFix(
          'Look for DNS that differs by country, and for a firewall that blocks by country.',
        ),
        until: evidence.certificate?.retryAt,
      },
    )
  },
}

const rateLimited: Rule = {
  code: 'T05',
  judge({ certificate, subject }) {
    if (certificate?.problem?.type !== 'rateLimited') return undefined
    return createDiagnostic(
      'T05',
      'waits',
      `${certificate.problem.authority} limits requests for ${subject.host}`,
      `${quoted(certificate.problem)}. We retry automatically. Do not remove and add the domain: that does not help.`,
      { until: certificate.retryAt },
    )
  },
}

const authorityFails: Rule = {
  code: 'T06',
  judge({ certificate }) {
    const problem = certificate?.problem
    if (problem === undefined) return undefined
    if (problem.status < 500 && !['badNonce', 'serverInternal'].includes(problem.type))
      return undefined
    return createDiagnostic(
      'T06',
      'waits',
      `${problem.authority} has an internal error`,
      `${quoted(problem)}. You don't need to do anything; we retry.`,
      { until: certificate?.retryAt },
    )
  },
}

const rejected: Rule = {
  code: 'T07',
  judge({ certificate, subject, platform }) {
    const problem = certificate?.problem
    if (problem?.type !== 'rejectedIdentifier') return undefined
    const others = platform.authorities.filter(({ domain }) => domain !== problem.authority)
    const next = others.map(({ domain }) => domain)
    const detail =
      next.length > 0 ? ` We ask ${listed(next)} instead.` : ' No other authority is configured.'
    return createDiagnostic(
      'T07',
      'blocks',
      `${problem.authority} does not issue for ${subject.host}`,
      `${quoted(problem)}.${detail}`,
      { fix: createFix('Use another name, or ask the operator to configure a second authority.') },
    )
  },
}

const otherCertificate: Rule = {
  code: 'T08',
  judge({ certificate, subject }) {
    const { fingerprint, seen = [] } = certificate ?? {}
    if (fingerprint === undefined) return undefined
    const others = seen.filter((each) => each.fingerprint !== fingerprint)
    const [first] = others
    if (first === undefined) return undefined
    const at = listed(others.map(({ address }) => address))
    return createDiagnostic(
      'T08',
      'warns',
      `Another certificate is presented at ${at}`,
      `It is from ${first.issuer}. It is not the certificate that was issued for ${subject.host}.`,
      {
        fix: createFix(
          'Look for a proxy in front of the name. If there is none, ask the operator.',
        ),
      },
    )
  },
}

const expiresSoon: Rule = {
  code: 'T09',
  judge({ certificate, subject, at }) {
    const { expiresAt, problem, retryAt } = certificate ?? {}
    if (expiresAt === undefined || problem === undefined || expiresAt - at >= weekMs)
      return undefined
    const days = Math.max(0, Math.floor((expiresAt - at) / 86_400_000))
    const title =
      expiresAt <= at
        ? `The certificate of ${subject.host} has expired`
        : `The certificate of ${subject.host} expires in ${days < 1 ? 'less than a day' : counted(days, 'day')}`
    return createDiagnostic('T09', 'blocks', title, `Renewal fails: ${quoted(problem)}.`, {
      fix: createFix('Fix what the other diagnostics name; then it renews automatically.'),
      until: retryAt,
    })
  },
}

export const certificateRules: readonly Rule[] = [
  elsewhereBlocked,
  rateLimited,
  authorityFails,
  rejected,
  otherCertificate,
  expiresSoon,
]
