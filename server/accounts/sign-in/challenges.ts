// Challenges for passkeys and for sign-in by a provider: signed, so that nothing is stored until one is answered, and
// accepted once before they expire.

import { randomBytes } from 'node:crypto'
import { findOne, type Session } from '#kit/database/database.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { hashSecret } from '#kit/identifiers.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type AccountTables, prepare, prepareQuery } from '../people/tables.ts'

const standardLifeMs = 5 * 60_000

const insertUsed = prepareQuery<{ hash: string; end: number }>()((db, param) =>
  db
    .insertInto('used_challenges')
    .values({ challenge_hash: param('hash'), expires_at: param('end') })
    .onConflict((conflict) => conflict.doNothing())
    .returning('challenge_hash'),
)

const byHash = prepare.select('used_challenges', ['challenge_hash'], { challenge_hash: 'hash' })

/** Base64url. `purpose` says who may answer what, such as `passkey of acc_…`; another purpose does not accept it. */
export function createChallenge(
  secrets: Secrets,
  purpose: string,
  now: number,
  lifeMs = standardLifeMs,
): string {
  const text = `${now + lifeMs}.${randomBytes(16).toString('base64url')}`
  return Buffer.from(`${text}.${secrets.sign(`${purpose} ${text}`, 'challenges')}`).toString(
    'base64url',
  )
}

/** Whether the challenge was created here for this purpose and has not expired. */
export function isChallenge(
  secrets: Secrets,
  purpose: string,
  challenge: string,
  now: number,
): boolean {
  const match = partsOf(challenge)
  if (!match) return false
  const { end, signature, text } = match
  return now < end && secrets.isSigned(`${purpose} ${text}`, 'challenges', signature)
}

/** Inside a transaction: false if the challenge was answered before. It must have been checked with `isChallenge`. */
export async function takeChallenge(session: Session, challenge: string): Promise<boolean> {
  const end = partsOf(challenge)?.end ?? 0
  const used = await findOne(session, insertUsed, { hash: hashSecret(challenge), end })
  return used !== undefined
}

/** Whether the challenge was answered before: a cheap check before work that `takeChallenge` follows. */
export async function wasTaken(session: Session, challenge: string): Promise<boolean> {
  return (await findOne(session, byHash, { hash: hashSecret(challenge) })) !== undefined
}

/** Deletes those that have expired, which are refused anyway. */
export const deleteUsedChallenges = oldRowsOf<AccountTables>()({
  table: 'used_challenges',
  key: ['challenge_hash'],
  time: 'expires_at',
  lock: takeLock,
})

function partsOf(challenge: string) {
  if (challenge.length > 400) return undefined
  const plain = Buffer.from(challenge, 'base64url').toString('latin1')
  const [, text = '', end = '', signature = ''] =
    /^((\d{1,15})\.[\w-]{22})\.([\w-]{43})$/.exec(plain) ?? []
  return text ? { text, end: Number(end), signature } : undefined
}
