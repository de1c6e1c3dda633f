// Records a failed attempt: the problem, whether the order can continue, and when to retry.
import {
  AcmeNoResponse,
  AcmeProblem,
  type Operation,
  type ProblemDocument,
} from '#acme/requests/read-response.ts'
import type { ChallengeType } from '#acme/resources/orders.ts'
import { applyEvent } from '../../database/apply-event.ts'
import { abandonChallenge } from '../../database/challenges.ts'
import type { FoundDomain } from '../../database/domain-row.ts'
import { recordAttempt } from '../rate-limits/attempt-log.ts'
import { findOrder, removeOrder } from '../records/certificate-rows.ts'
import { type IssuanceContext, leasedWrite, setProblem } from './leased-write.ts'

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
  { directory, name, now }: { directory: string; name: string; now: number },
): Failure | undefined {
  const said = (
    { detail, instance, status = 403, subproblems = [], type }: NotIssued['problem'],
    more: { operation?: Operation; retryAt?: number | undefined } = {},
  ): FoundDomain['problem'] => ({
    authority: name,
    directory,
    type,
    status,
    detail: [
      detail,
      ...subproblems.map(({ detail, identifier = '', type }) =>
        `${identifier} ${type}: ${detail}`.trim(),
      ),
      ...(instance === undefined ? [] : [instance]),
    ]
      .join('; ')
      .slice(0, maxDetail),
    at: now,
    ...more,
  })
  if (error instanceof NotIssued) {
    const { problem, validation } = error
    return { problem: said(problem), retryAt: undefined, isOver: true, validation }
  }
  if (error instanceof AcmeProblem) {
    const { operation, retryAt, status, type } = error
    const canContinue = status >= 500 || status === 429 || type === 'badNonce'
    const isOver =
      !unrelatedOperations.includes(operation) && (operation === 'new order' || !canContinue)
    return { problem: said(error, { operation, retryAt }), retryAt, isOver, validation: undefined }
  }
  if (error instanceof AcmeNoResponse) {
    const { detail, operation, reason } = error
    const words = { type: 'noAnswer', detail: `${operation}: ${reason}: ${detail}`, status: 503 }
    const problem = said(words)
    return { problem, retryAt: undefined, isOver: false, validation: undefined }
  }
  return undefined
}

/** Stores the failure and updates the state. `failure` is undefined for internal errors, which the caller logs. */
export async function recordFailure(
  { context, lease }: IssuanceContext,
  host: string,
  failure: Failure | undefined,
): Promise<void> {
  const { clock, count, database, log, random } = context
  const jitter = random() * 2 - 1
  await database.write(recordFailureTransaction, { lease, failure, jitter, now: clock() })
  const { problem } = failure ?? {}
  count(problem?.authority ?? 'none', 'failed')
  const { authority, detail, type } = problem ?? {}
  log.warn(
    { event: 'certificate.not_issued', host, authority, type, detail },
    'certificate not issued; will retry',
  )
}

interface FailureInput {
  failure: Failure | undefined
  jitter: number
  now: number
}

const recordFailureTransaction = leasedWrite(
  async (session, domain, { failure, jitter, now }: FailureInput): Promise<void> => {
    const order = await findOrder(session, domain.id)
    if (order && failure?.validation) {
      const { challengeType } = failure.validation
      await recordAttempt(session, order, { kind: 'failed_validation', at: now, challengeType })
    }
    if (order && failure?.isOver) {
      const because = failure.validation ? 'refused' : 'expired'
      await abandonChallenge(session, domain, because, now)
      await removeOrder(session, domain.id)
    }
    if (failure) await setProblem(session, domain.id, failure.problem)
    // Notifications contain the reason.
    const said = { ...domain, problem: failure?.problem }
    await applyEvent(session, said, {
      type: 'failed',
      at: now,
      retryAt: failure?.retryAt,
      jitter,
    })
  },
)
