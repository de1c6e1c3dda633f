// The keys that sign links to consent pages, and their TXT records. A new one is pending until its public key was seen at
// all name servers of the key domain; then it is active and signs, and the one before is retired: links that it has
// signed may be open for a day.
import { createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import type { Database, Session } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import type { Secrets } from '#kit/secrets.ts'
import { insertRow, type PublishingTables, prepare } from '#publishing/database/tables.ts'

const maxKeys = 10
/** How long links of a retired key may be open. */
export const retiredKeyMs = 24 * 3_600_000

export type ConnectKey = Awaited<ReturnType<typeof listConnectKeys>>[number]

export const connectKeyContext = (label: string): string => `domain connect key ${label}`

const all = prepare.select(
  'connect_keys',
  'all',
  {},
  { orderBy: ['created_at desc', 'label desc'], limit: maxKeys },
)
const activate = prepare.update(
  'connect_keys',
  { activated_at: 'at' },
  { label: 'label', activated_at: null },
  ['label'],
)
const retireOthers = prepare.update(
  'connect_keys',
  { retired_at: 'at' },
  { label: { '!=': 'label' }, retired_at: null },
)

/** Newest first. */
export async function listConnectKeys(session: Session, secrets: Secrets) {
  return (await session.all(all, {})).map((row) => {
    const key = storedRow(row)
    /** PEM. */
    const privateKey = secrets.decrypt(key.privateKey, connectKeyContext(key.label)).toString()
    const inUse = key.activatedAt === null ? ('pending' as const) : ('active' as const)
    return { ...key, privateKey, state: key.retiredAt === null ? inUse : ('retired' as const) }
  })
}

/** The key that signs; undefined while there is none. */
export async function findSigningKey(
  session: Session,
  secrets: Secrets,
): Promise<ConnectKey | undefined> {
  const keys = await listConnectKeys(session, secrets)
  return keys.find(({ state }) => state === 'active')
}

const createPair = promisify(generateKeyPair)

/** Creates a pending key and returns its label. Undefined if there are too many. */
export async function createConnectKey(
  database: Database,
  secrets: Secrets,
  origin: AuditOrigin,
): Promise<string | undefined> {
  const pair = await createPair('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const save = locked(async (session): Promise<string | undefined> => {
    const keys = (await session.all(all, {})).map(storedRow)
    if (keys.length >= maxKeys) return undefined
    const numbers = keys.map(({ label }) => Number(/\d+$/.exec(label)?.[0] ?? 0))
    const label = `_dck${Math.max(0, ...numbers) + 1}`
    const privateKey = secrets.encrypt(Buffer.from(pair.privateKey), connectKeyContext(label))
    await insertRow(session, 'connect_keys', { label, privateKey, createdAt: origin.at })
    await recordAudit(session, origin, 'domain.connect_key_created', { id: label, name: label })
    return label
  })
  return await save(database)
}

/** Makes a pending key the one that signs. False if it was not pending. */
export const activateConnectKey = locked(
  async (session, { label, origin }: { label: string; origin: AuditOrigin }): Promise<boolean> => {
    const at = origin.at
    const activated = await session.all(activate, { label, at })
    if (activated.length === 0) return false
    await session.all(retireOthers, { label, at })
    await recordAudit(session, origin, 'domain.connect_key_activated', { id: label, name: label })
    return true
  },
)

export const deleteRetiredKeys = oldRowsOf<PublishingTables>()({
  table: 'connect_keys',
  key: ['label'],
  time: 'retired_at',
  keptMs: retiredKeyMs,
  lock: takeLock,
})

const pieceLength = 200

/**
 * The public key of a signing key as TXT records at `<label>.<key domain>` (draft-ietf-dconn-domainconnect, Public Key
 * Publication): the DER form in base64, in pieces, in their order. `key`: PEM, private or public.
 */
export function writePublicKeyRecords(key: string): string[] {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const text = der.toString('base64')
  const count = Math.ceil(text.length / pieceLength)
  return Array.from({ length: count }, (_, i) => {
    const piece = text.slice(i * pieceLength, (i + 1) * pieceLength)
    return `p=${i + 1},a=RS256,d=${piece}`
  })
}

/**
 * What is wrong with the published values, in words that end a sentence; undefined when they are the key's, in any
 * order.
 */
export function findPublicationProblem(
  expected: string[],
  published: string[],
): string | undefined {
  if (published.length === 0) return 'there is no TXT record'
  const missing = expected.filter((value) => !published.includes(value))
  if (missing.length === expected.length) return 'its records are not those of this key'
  if (missing.length > 0) return `${missing.length} of ${expected.length} records are missing`
  const others = published.filter((value) => !expected.includes(value))
  return others.length > 0 ? 'there are other TXT records beside those of the key' : undefined
}
