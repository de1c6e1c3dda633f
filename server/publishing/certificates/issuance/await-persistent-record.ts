// dns-persist-01 (draft-ietf-acme-dns-persist): the owner is asked for a TXT record that stays valid. Nothing is ordered
// before every name server has it, and its value stays until it ends, also for renewals.

import { LeaseLostError } from '../../../platform/jobs/lease.ts'
import type { AcmeSession } from '../../acme/requests/acme-client.ts'
import { getDirectory } from '../../acme/requests/acme-client.ts'
import { findAccount, isAccountGone } from '../../acme/resources/accounts.ts'
import {
  type Authorization,
  type PersistentChallenge,
  persistentType,
} from '../../acme/resources/authorizations.ts'
import {
  accountUriOf,
  formatPersistentRecord,
  parsePersistentRecord,
} from '../../acme/resources/persistent-record.ts'
import { replaceChallenge } from '../../domains/database/abandon-challenge.ts'
import { persistentNameOf } from '../../domains/database/find-challenge.ts'
import { findDomainById } from '../../domains/database/find-domains.ts'
import {
  findPersistentRecord,
  isAccountInUse,
  releasePersistentRecord,
  type StoredPersistentRecord,
  savePersistentRecord,
} from '../../domains/database/persistent-records.ts'
import type { FormerChallenge } from '../../domains/evidence/evidence.ts'
import type { CertificateOrder } from '../records/order-rows.ts'
import { lookAgainAfterMs, lookForRecord, marginMs, RecordExpired } from './await-record.ts'
import type { IssuanceContext } from './issuance-context.ts'
import { leasedWrite } from './leased-write.ts'
import { persistentNotOffered } from './record-failure.ts'
import { saveOrderStep } from './save-order-step.ts'

const day = 24 * 3_600_000
/** How long a record is valid: long enough for a switch, and its end if it is never deleted. */
const validForMs = 60 * day

type Advancing = IssuanceContext & AcmeSession

/**
 * The order, once it can be placed. Undefined while the record is not everywhere. Throws NotIssued, RecordExpired,
 * AcmeProblem and AcmeNoResponse.
 */
export async function awaitPersistentRecord(
  advancing: Advancing,
  begun: CertificateOrder,
): Promise<CertificateOrder | undefined> {
  const { clock, database } = advancing.context
  const found = await findPersistentRecord(database.read, begun.domainId)
  const now = clock()
  if (!found || !isUsable(found, begun, now)) {
    await requestRecord(advancing, begun, found, now)
    return undefined
  }
  const { persistUntil: until, value } = found
  // A renewal that finds the record says nothing.
  const isFirst = begun.expiresAt === null
  const missing = isFirst ? requested(begun.host, value) : undefined
  const expiresAt = until - marginMs
  return await lookForRecord(advancing, { ...begun, expiresAt }, { value, until, missing })
}

function isUsable(
  { accountId, persistUntil, releasedAt }: StoredPersistentRecord,
  order: CertificateOrder,
  now: number,
): boolean {
  return releasedAt === null && accountId === order.accountId && now < persistUntil - marginMs
}

function requested(host: string, value: string, because?: FormerChallenge['because']) {
  return { name: persistentNameOf(host), value, because, isPersistent: true }
}

/** Stores a value and tells the owner, also why the one of before is not valid any more. */
async function requestRecord(
  advancing: Advancing,
  begun: CertificateOrder,
  before: StoredPersistentRecord | undefined,
  now: number,
): Promise<void> {
  const { account, context, lease } = advancing
  const { domainId, host } = begun
  const { persistOffer } = (await findDomainById(context.database.read, domainId)) ?? {}
  const { recordForm } = await getDirectory(advancing.client, advancing)
  const issuers = persistOffer?.directory === begun.directory ? persistOffer.issuers : []
  const issuer = recordForm?.issuers?.find((name) => issuers.includes(name)) ?? issuers[0]
  if (!recordForm || issuer === undefined) throw persistentNotOffered(host)
  await requireAccount(advancing, begun)
  const persistUntil = Math.floor((now + validForMs) / 1000) * 1000
  const value = formatPersistentRecord({
    issuer,
    accountUri: accountUriOf(recordForm, account, host),
    persistUntil,
  })
  const because = before && becauseOf(before, now)
  await context.database.write(savePersistentRecordTransaction, {
    lease,
    record: {
      ...{ domainId, value, persistUntil, createdAt: now, releasedAt: null },
      accountId: begun.accountId ?? '',
    },
    former: before && because && { value: before.value, because, at: now, method: persistentType },
  })
  await saveOrderStep(
    advancing,
    { ...begun, expiresAt: persistUntil - marginMs, recordSeenAt: null },
    {
      type: 'record_awaited',
      at: now,
      until: persistUntil,
      lookAt: now + lookAgainAfterMs,
      record: requested(host, value, because),
    },
  )
}

function becauseOf(
  { persistUntil, releasedAt }: StoredPersistentRecord,
  now: number,
): FormerChallenge['because'] {
  return now >= persistUntil - marginMs ? 'expired' : releasedAt === null ? 'refused' : 'canceled'
}

/** The record names the account, so it must exist. Throws RecordExpired when the authority has closed it. */
async function requireAccount(
  { account, client, context: { authorities }, signal }: Advancing,
  { accountId }: CertificateOrder,
): Promise<void> {
  try {
    const { status, url } = await findAccount(client, account.privateKey, { signal })
    if (status === 'valid' && url === account.url) return
  } catch (error) {
    if (!isAccountGone(error)) throw error
  }
  await authorities.forgetHolderAccount(accountId ?? '')
  throw new RecordExpired()
}

const savePersistentRecordTransaction = leasedWrite(
  async (
    session,
    domain,
    { former, record }: { record: StoredPersistentRecord; former: FormerChallenge | undefined },
  ): Promise<void> => {
    const isWanted =
      domain.state.preparation === 'requested' &&
      domain.state.preparationMethod === persistentType &&
      (await isAccountInUse(session, record.accountId))
    if (!isWanted) throw new LeaseLostError('the record is no longer requested')
    if (former) await replaceChallenge(session, domain.id, former)
    await savePersistentRecord(session, record)
  },
)

/**
 * Throws NotIssued where the authority does not offer this way any more, and RecordExpired where the record that it wants
 * is another one.
 */
export async function requirePersistentChallenge(
  { account, context, lease }: Advancing,
  order: CertificateOrder,
  { challenges, host }: Authorization,
): Promise<void> {
  const offered = challenges.find(
    (each): each is PersistentChallenge => each.type === persistentType,
  )
  if (!offered) throw persistentNotOffered(host)
  const record = await findPersistentRecord(context.database.read, order.domainId)
  const { issuer = '' } = (record && parsePersistentRecord(record.value)) ?? {}
  const { accountUri = account.url, issuers } = offered
  if (issuers.includes(issuer) && accountUri === account.url) return
  await context.database.write(retractRecordTransaction, { lease, now: context.clock() })
  throw new RecordExpired()
}

const retractRecordTransaction = leasedWrite(
  async (session, domain, { now }: { now: number }): Promise<void> => {
    await releasePersistentRecord(session, domain, now)
  },
)
