// What is to be done for the certificate of a domain now: nothing yet, a renewal, a first one; an order that
// was begun goes on where it stopped. Whatever happens moves the time at which it is due next.
import { AppError } from '../../../platform/errors.ts'
import { AcmeProblem } from '../../acme/requests/acme-error.ts'
import { applyEvent } from '../../domains/database/apply-event.ts'
import type { FoundDomain } from '../../domains/database/domain-row.ts'
import { type DomainLease, LostLease } from '../../domains/scheduling/domain-lease.ts'
import { type DomainState, hasCertificate, mayIssue } from '../../domains/state/domain-state.ts'
import { internal } from '../authorities/authorities.ts'
import { isTurnOfSecond, patience } from '../authorities/choose-authority.ts'
import { internalIssuer, issueFromRoot } from '../authorities/internal-authority.ts'
import { type CurrentCertificate, findCurrentCertificate } from '../records/certificate-rows.ts'
import { type CertificateOrder, findOrder, removeOrder } from '../records/order-rows.ts'
import { pursueOrder } from './advance-order.ts'
import { askWhenToRenew } from './fetch-renewal-time.ts'
import { finishOrder } from './finish-order.ts'
import type { Attendance, CertificatesContext } from './issuance-context.ts'
import { leasedWrite } from './leased-write.ts'
import { block, prepareOrder } from './prepare-order.ts'
import { failAttempt, failureOf } from './record-failure.ts'

/** An order that is not there any more after so long has run out by itself. */
const oldMs = 3_600_000
/** Whether HTTPS is still off is looked at again after so long. */
const offMs = 3_600_000

const underWay: readonly DomainState['certificate'][] = ['ordering', 'validating', 'renewing']

/** Rejects with LostLease, and when the database does not answer; all else is recorded with the domain. */
export async function attendDomain(
  context: CertificatesContext,
  domain: FoundDomain,
  lease: DomainLease,
  signal: AbortSignal,
): Promise<void> {
  const attendance: Attendance = { context, lease, signal }
  const { authorities, clock, database, log } = context
  // It is looked at again: what was read before the lease may be over.
  const order = await findOrder(database.read, domain.id)
  const [first = internal] = authorities.directories
  let directory = order?.directory ?? first
  try {
    const current = await findCurrentCertificate(database.read, domain.id)
    if (!(await isDue(attendance, domain, order, current))) return
    // What would not be shown is not asked for.
    if (!context.servesHttps) {
      await block(attendance, { by: 'https_off', until: clock() + offMs })
      return
    }
    if (first === internal) return await issueOurselves(attendance, domain)
    const goesOn = order?.orderUrl != null && (await isWorthIt(attendance, domain, order))
    const ready = goesOn ? order : await prepareOrder(attendance, domain, current)
    if (!ready) return
    directory = ready.directory
    await pursue(attendance, domain, ready, current)
  } catch (error) {
    const isNotOurs = error instanceof LostLease || signal.aborted
    if (isNotOurs || (error instanceof AppError && error.code === 'unavailable')) throw error
    const name = authorities.nameOf(directory)
    const failure = failureOf(error, { directory, name, now: clock() })
    if (!failure) log.error({ host: domain.host, err: error }, 'getting a certificate failed')
    await failAttempt(attendance, domain.host, failure)
  }
}

async function isDue(
  attendance: Attendance,
  domain: FoundDomain,
  order: CertificateOrder | undefined,
  current: CurrentCertificate | undefined,
): Promise<boolean> {
  const { authorities, clock, database } = attendance.context
  const { state } = domain
  const now = clock()
  if (!mayIssue(state)) {
    await database.write(ticking, { lease: attendance.lease, now })
    return false
  }
  if (order || !current || !hasCertificate(state, now)) return true
  // Browsers do not know our own authority: one that they know takes its place as soon as there is one.
  if (current.directory === internal && authorities.directories[0] !== internal) return true
  if (state.renewAt !== null && state.renewAt <= now) return true
  return (await askWhenToRenew(attendance, domain, current)) <= now
}

async function issueOurselves(attendance: Attendance, domain: FoundDomain): Promise<void> {
  const issued = await issueFromRoot(attendance.context, domain.host)
  const named = { issuer: internalIssuer, directory: internal, order: undefined }
  await finishOrder(attendance, domain, { ...issued, ...named })
}

/** After failures the order is left for one at the authority whose turn it is: this one may be down. */
async function isWorthIt(
  attendance: Attendance,
  { id, state }: FoundDomain,
  { directory }: CertificateOrder,
): Promise<boolean> {
  const { directories } = attendance.context.authorities
  const isKnown = directories.includes(directory)
  const isTurn = directory === directories[isTurnOfSecond(state.failures) ? 1 : 0]
  const isUnderWay = underWay.includes(state.certificate)
  const hasPatience = directories.length < 2 || state.failures < patience
  if (isKnown && (hasPatience || isUnderWay || isTurn)) return true
  await attendance.context.database.write(abandoning, { lease: attendance.lease, id })
  return false
}

async function pursue(
  attendance: Attendance,
  domain: FoundDomain,
  order: CertificateOrder,
  current: CurrentCertificate | undefined,
): Promise<void> {
  const { authorities, clock, database } = attendance.context
  const { directory } = order
  // By its name it is called in what is kept and told.
  await authorities.identitiesOf(directory)
  let certified: Awaited<ReturnType<typeof pursueOrder>>
  try {
    certified = await pursueOrder(attendance, order)
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error
    const hasNoAccount = error.type === 'accountDoesNotExist'
    if (hasNoAccount) {
      const account = await authorities.accountAt(directory)
      await authorities.forgetAccount(directory, account)
    }
    const hasRunOut = error.operation === 'get order' && clock() - order.begunAt > oldMs
    if (!hasNoAccount && !(hasRunOut && error.status < 429)) throw error
    await database.write(abandoning, { lease: attendance.lease, id: domain.id })
    const again = await prepareOrder(attendance, domain, current)
    if (!again) return
    certified = await pursueOrder(attendance, again)
  }
  if (!certified) return
  const issuer = authorities.nameOf(directory)
  await finishOrder(attendance, domain, {
    ...certified,
    issuer,
    directory: certified.order.directory,
  })
}

const ticking = leasedWrite(
  async (session, domain, { now }: { lease: DomainLease; now: number }): Promise<void> => {
    await applyEvent(session, domain, { type: 'tick', at: now })
  },
)

const abandoning = leasedWrite(
  async (session, domain, _: { lease: DomainLease; id: string }): Promise<void> => {
    await removeOrder(session, domain.id)
  },
)
