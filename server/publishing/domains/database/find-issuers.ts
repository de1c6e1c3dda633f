// Finds the issuers of the certificates in use.
import { findOne, type Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'

const maxOfProject = 1000

const ofDomain = prepareQuery<{ id: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select('issuer')
    .where('domain_id', '=', param('id'))
    .where('is_current', '=', 1n),
)
const ofProject = prepareQuery<{ project: string; most: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .innerJoin('certificates', 'certificates.domain_id', 'domains.id')
    .select(['certificates.domain_id as id', 'certificates.issuer as issuer'])
    .where('domains.project_id', '=', param('project'))
    .where('certificates.is_current', '=', 1n)
    .limit(param('most')),
)

/** The authority's name as people know it. */
export async function findIssuer(session: Session, domainId: string): Promise<string | undefined> {
  return (await findOne(session, ofDomain, { id: domainId }))?.issuer
}

/** For all domains of a project, by id. */
export async function listIssuers(
  session: Session,
  projectId: string,
): Promise<Map<string, string>> {
  const rows = await session.all(ofProject, { project: projectId, most: maxOfProject })
  return new Map(rows.map(({ id, issuer }) => [id, issuer]))
}
