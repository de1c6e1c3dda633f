// Domains as if they had been verified and certified, written directly into the tables, so that only the edge is
// tested. Their certificates are signed by a root of the test.

import { randomUUID } from 'node:crypto'
import { createInternalRoot, issueInternally, readCertificate } from '#acme/x509/certificate.ts'
import { keyContext, showCertificate } from '#domains/certificates/records/certificate-rows.ts'
import { type Database, each, type Session } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { rowInserter } from '#kit/database/insert-rows.ts'
import { openSecrets } from '#kit/secrets.ts'
import { changePublished, withdrawHost } from '#publishing/database/publishing-state.ts'
import { type PublishingTables, prepareQuery } from '#publishing/database/tables.ts'
import type { TestDatabase } from '../database.ts'

export interface ServedDomains {
  /** The root that clients trust, in PEM. */
  ca: string
  database: Database
  /** Attaches a host to the project with this slug, served over HTTPS, by default as an alias. */
  attach(slug: string, host: string, options?: AttachOptions): Promise<void>
  /** Replaces the certificate. Returns the fingerprint of the new one. */
  renew(host: string): Promise<string>
  setServing(host: string, serving: string): Promise<void>
  /** Inserts a challenge that an authority is about to validate. */
  challenge(host: string, token: string, keyAuthorization: string): Promise<void>
  close(): Promise<void>
}

export interface AttachOptions {
  role?: 'primary' | 'alias' | 'redirect'
  to?: string
  status?: number
  serving?: string
  /** A directory that browsers trust, or `internalDirectory`. */
  directory?: string
  isCertified?: boolean
  ownership?: 'proven' | 'unproven'
}

const rows = rowInserter<PublishingTables>()
const insertDomain = rows('domains')
const insertOrder = rows('certificate_orders')
const projectBySlug = prepareQuery<{ slug: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .select(['projects.id', 'projects.owner_id'])
    .where('slug', '=', param('slug')),
)
const byHost = prepareQuery<{ host: string }>()((db, param) =>
  db.selectFrom('domains').select('id').where('host', '=', param('host')),
)
const serve = prepareQuery<{ host: string; serving: string }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ serving: param('serving') })
    .where('host', '=', param('host')),
)

export async function openServedDomains(place: TestDatabase): Promise<ServedDomains> {
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  const secrets = openSecrets({ dataDir: place.dataDir, secretKeys: [] })
  const root = await createInternalRoot('Test', Date.now())

  /** Created before the write: a write may be run again. */
  async function createCertificate(host: string, directory: string) {
    const { chain, key } = await issueInternally(root, [host], { days: 90, now: Date.now() })
    const { fingerprint, notAfter, notBefore, serial } = readCertificate(chain)
    const id = randomUUID()
    const privateKey = secrets.encrypt(Buffer.from(key), keyContext('certificate', id))
    const kept = { id, host, directory, issuer: 'Test', chain, privateKey, fingerprint, serial }
    return { ...kept, notBefore, notAfter, issuedAt: Date.now(), renewalId: null }
  }
  type CreatedCertificate = Awaited<ReturnType<typeof createCertificate>>

  const attachTransaction = each(
    async (
      session,
      {
        host,
        made,
        options,
        slug,
      }: { slug: string; host: string; made: CreatedCertificate; options: AttachOptions },
    ) => {
      await changePublished(session)
      const [project] = await session.all(projectBySlug, { slug })
      if (!project) throw new Error(`no project ${slug}`)
      const { ownership = 'proven', role = 'alias', status = 301, to } = options
      const { isCertified = ownership === 'proven' } = options
      const id = randomUUID()
      await insertDomain(session, [
        {
          ...{ id, host, project_id: project.id, holder: project.owner_id ?? 'operators' },
          ...{
            verification_token: 'verification_token',
            added_at: 1n,
            verification_requested_at: 1n,
            version: 1n,
            ownership,
          },
          ...{ proven_by: 'pointer', dns: 'ok', failures: 0n, role },
          serving:
            ownership === 'proven'
              ? (options.serving ?? (isCertified ? 'https' : 'http_only'))
              : 'off',
          certificate: isCertified ? 'issued' : 'none',
          expires_at: isCertified ? BigInt(made.notAfter) : null,
          renew_at: isCertified ? BigInt(made.notAfter) : null,
          redirect_to: to ?? null,
          redirect_status: to === undefined ? null : BigInt(status),
        },
      ])
      if (isCertified) await showCertificate(session, { ...made, domainId: id })
    },
  )
  const renewTransaction = each(async (session, made: CreatedCertificate) => {
    await changePublished(session)
    await showCertificate(session, { ...made, domainId: await idOf(session, made.host) })
  })
  const setServingTransaction = each(
    async (session, { host, serving }: { host: string; serving: string }) => {
      await changePublished(session)
      await session.all(serve, { host, serving })
      if (serving === 'suspended' || serving === 'off')
        await withdrawHost(session, host, Date.now())
    },
  )
  const insertChallengeTransaction = each(
    async (session, order: { host: string; token: string; key_authorization: string }) => {
      const more = { registered_domain: order.host, directory: 'x', step: 'answered' }
      const row = { ...order, ...more, private_key: '-', begun_at: 1n }
      await insertOrder(session, [{ ...row, domain_id: randomUUID() }])
    },
  )

  return {
    ca: root.chain,
    database,
    async attach(slug, host, options = {}) {
      const made = await createCertificate(
        host,
        options.directory ?? 'https://authority.test/directory',
      )
      await database.write(attachTransaction, { slug, host, made, options })
    },
    async renew(host) {
      const made = await createCertificate(host, 'https://authority.test/directory')
      await database.write(renewTransaction, made)
      return made.fingerprint
    },
    setServing: async (host, serving) =>
      void (await database.write(setServingTransaction, { host, serving })),
    challenge: async (host, token, keyAuthorization) =>
      void (await database.write(insertChallengeTransaction, {
        host,
        token,
        key_authorization: keyAuthorization,
      })),
    close: () => database.close(),
  }
}

async function idOf(session: Session, host: string): Promise<string> {
  const [row] = await session.all(byHost, { host })
  if (!row) throw new Error(`no domain ${host}`)
  return row.id
}
