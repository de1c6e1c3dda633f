// Records a failed attempt: the problem, whether the order can continue, and when to retry.
import {
  AcmeNoResponse,
  AcmeProblem,
  type Operation,
  type ProblemDocument,
} from '#acme/requests/read-response.ts'
import type { ChallengeType } from '#acme/resources/orders.ts'
import { recordAccountProblem } from '../../database/account-problems.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { abandonOrder } from '../../database/challenges.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { recordAttempt } from '../rate-limits/attempt-log.ts'
import { findOrder } from '../records/certificate-rows.ts'
import { type IssuanceContext, setProblem, writeLeased } from './leased-write.ts'

/** The authority did not issue: the order or an authorization is invalid, or the certificate cannot be used. */
export class NotIssued extends Error {
  override readonly name = 'NotIssued'
  readonly problem: Pick<ProblemDocument, 'type' | 'detail'> &
    Partial<Pick<ProblemDocument, 'instance' | 'status' | 'subproblems'>>
  /** Set when validation of the host failed, with the challenge type. */
  readonly validation: { challengeType: ChallengeType | undefined } | undefined

  constructor(problem: NotIssued['problem'], validation?: NotIssued['validation']) {
    super(`${problem.type}: ${problem.detail}`)
    this.problem = problem
    this.validation = validation
  }
}

interface Failure {
  problem: FoundDomain['problem']
  retryAt: number | undefined
  /** The order cannot continue. */
  isOver: boolean
  validation: NotIssued['validation']
}

const maxDetail = 1000
/** Errors of these operations do not concern the order. */
const unrelatedOperations: Operation[] = [
  'directory',
  'new nonce',
  'new account',
  'renewal information',
  'deactivate authorization',
]

/** Undefined for errors that no authority caused. */
export function classifyFailure(
  error: unknown,
  at: { directory: string; authority: string; at: number },
): Failure | undefined {
  const base = { retryAt: undefined, validation: undefined }
  if (error instanceof NotIssued) {
    const { problem, validation } = error
    return { ...base, problem: { ...at, ...said(problem) }, isOver: true, validation }
  }
  if (error instanceof AcmeProblem) {
    const { operation, retryAt, status, type } = error
    const canContinue = status >= 500 || status === 429 || type === 'badNonce'
    const isOver =
      !unrelatedOperations.includes(operation) && (operation === 'new order' || !canContinue)
    return { ...base, problem: { ...at, ...said(error), operation, retryAt }, retryAt, isOver }
  }
  if (error instanceof AcmeNoResponse) {
    const { detail, operation, reason } = error
    const words = { type: 'noAnswer', detail: `${operation}: ${reason}: ${detail}`, status: 503 }
    return { ...base, problem: { ...at, ...said(words) }, isOver: false }
  }
  return undefined
}

/** The page that it names is kept whole: the operator may have to open it. */
function said({ detail, instance, status = 403, subproblems = [], type }: NotIssued['problem']) {
  const more = subproblems.map((each) =>
    `${each.identifier ?? ''} ${each.type}: ${each.detail}`.trim(),
  )
  const words = [detail, ...more].join('; ').slice(0, maxDetail)
  // Of one host: its own problem says more.
  const [first] = type === 'compound' ? subproblems : []
  const detailAndPage = instance === undefined ? words : `${words}; ${instance}`
  return { type: first?.type ?? type, status, detail: detailAndPage }
}

/**
 * Stores the failure and updates the state. `failure` is undefined for internal errors, which the caller logs.
 * `isOfAccount`: operators have to act, and are told unless they know it.
 */
export async function recordFailure(
  issuance: IssuanceContext,
  host: string,
  failure: Failure | undefined,
  isOfAccount: boolean | undefined,
): Promise<void> {
  const { clock, count, log, random } = issuance.context
  const jitter = random() * 2 - 1
  const at = clock()
  const { isOver = false, problem, retryAt, validation } = failure ?? {}
  await writeLeased(issuance, async (session, domain) => {
    const order = await findOrder(session, domain.id)
    if (order && validation) {
      const { challengeType } = validation
      await recordAttempt(session, order, { kind: 'failed_validation', at, challengeType })
    }
    if (order && isOver) await abandonOrder(session, domain, validation ? 'refused' : 'expired', at)
    if (failure) await setProblem(session, domain.id, problem)
    if (problem?.directory && isOfAccount)
      await recordAccountProblem(session, { ...problem, directory: problem.directory, host })
    // Notifications contain the reason.
    await applyEvent(session, { ...domain, problem }, { type: 'failed', at, retryAt, jitter })
  })
  count(problem?.authority ?? 'none', 'failed')
  const { authority, detail, type } = problem ?? {}
  log.warn(
    { event: 'certificate.not_issued', host, authority, type, detail },
    'certificate not issued; will retry',
  )
}
