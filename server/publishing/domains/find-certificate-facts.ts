// What is known of a domain's certificate, as the doctor judges it.
import { findOne, type Session } from '../../platform/database/database.ts'
import { define } from '../tables.ts'
import type { FoundDomain } from './domain-row.ts'
import type { CertificateFacts } from './evidence.ts'

const current = define<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select('fingerprint')
    .where('domain_id', '=', param('id'))
    .where('is_current', '=', 1n),
)

/** Undefined while there is neither a certificate nor an answer by which there is none. */
export async function findCertificateFacts(
  session: Session,
  { id, problem, state }: FoundDomain,
): Promise<CertificateFacts | undefined> {
  const fingerprint = (await findOne(session, current, { id }))?.fingerprint
  if (fingerprint === undefined && problem === undefined) return undefined
  return {
    problem,
    retryAt: (problem && state.issueAt) ?? undefined,
    expiresAt: state.expiresAt ?? undefined,
    fingerprint,
    seen: [],
  }
}
