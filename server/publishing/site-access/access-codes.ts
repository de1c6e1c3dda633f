// Codes that bring a visitor from the dashboard to a site that only members may see. A code is random, works once and
// for a minute, at one host, and only in the browser that has started: `state` is the hash of a cookie of that host.

import { findOne } from '#kit/database/database.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { hashSecret, randomToken } from '#kit/secret-text.ts'
import { type PublishingTables, prepare } from '../database/tables.ts'

const lifeMs = 60_000

/** What a code is for. */
interface CodePurpose {
  sessionId: string
  host: string
  projectId: string
  state: string
}

/** A session has one code for each host. */
const save = prepare.upsert(
  'site_access_codes',
  { session_id: 'sessionId', host: 'host' },
  { code_hash: 'hash', project_id: 'projectId', state: 'state', expires_at: 'until' },
)
const find = prepare.select('site_access_codes', ['host'], { code_hash: 'hash' })
const take = prepare.delete('site_access_codes', { code_hash: 'hash' }, [
  'session_id',
  'host',
  'project_id',
  'state',
  'expires_at',
])

/** Returns the code, of which only the hash is stored. */
export const createAccessCode = locked(
  async (session, purpose: CodePurpose, now: number): Promise<string> => {
    const code = randomToken()
    await session.all(save, { ...purpose, hash: hashSecret(code), until: now + lifeMs })
    return code
  },
)

/** Whether there is such a code, so that guesses write nothing. */
export const findAccessCode = async (
  session: Parameters<typeof findOne>[0],
  code: string,
): Promise<boolean> => (await findOne(session, find, { hash: hashSecret(code) })) !== undefined

/** Ends the code. Undefined if it has been used or has expired. */
export const redeemAccessCode = locked(
  async (session, code: string, now: number): Promise<CodePurpose | undefined> => {
    const taken = await findOne(session, take, { hash: hashSecret(code) })
    if (!taken || Number(taken.expires_at) <= now) return undefined
    const { host, project_id: projectId, session_id: sessionId, state } = taken
    return { host, projectId, sessionId, state }
  },
)

export const deleteExpiredAccessCodes = oldRowsOf<PublishingTables>()({
  table: 'site_access_codes',
  key: ['code_hash'],
  time: 'expires_at',
  lock: takeLock,
})
