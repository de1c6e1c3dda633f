// What is known of a domain's certificate, as the doctor judges it.
import { findOne, type Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import type { CertificateFacts } from '../evidence/evidence.ts'

const current = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select(['fingerprint', 'issued_at'])
    .where('domain_id', '=', param('id'))
    .where('is_current', '=', 1n),
)

/**
 * `seen`: which ones its addresses showed, from `at` on. Undefined while there is neither a certificate nor an
 * answer by which there is none.
 */
export async function findCertificateFacts(
  session: Session,
  { id, problem, state }: FoundDomain,
  { at, seen }: { at: number; seen: CertificateFacts['seen'] },
): Promise<CertificateFacts | undefined> {
  const certificate = await findOne(session, current, { id })
  const fingerprint = certificate?.fingerprint
  if (fingerprint === undefined && problem === undefined) return undefined
  return {
    problem,
    retryAt: (problem && state.issueAt) ?? undefined,
    expiresAt: state.expiresAt ?? undefined,
    fingerprint,
    // One that came meanwhile was not there to be seen.
    seen: certificate && Number(certificate.issued_at) < at ? seen : [],
  }
}
