// Finds domains by project or host, and their last checks.
import { findOne, type Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import { domainOf, type FoundDomain } from './domain-row.ts'

/** Upper bound for the rows of a list: no project has more domains. */
const maxOfProject = 1000

const byId = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('domains').selectAll().where('id', '=', param('id')),
)
const ofProject = prepareQuery<{ project: string; most: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', param('project'))
    .orderBy('host')
    .limit(param('most')),
)
const ofHolder = prepareQuery<{ host: string; holder: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('host', '=', param('host'))
    .where('holder', '=', param('holder')),
)
const inProject = prepareQuery<{ project: string; host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', param('project'))
    .where('host', '=', param('host')),
)
const countOfProject = prepareQuery<{ project: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('project_id', '=', param('project')),
)
const lastCheck = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('domain_checks').select('judged').where('domain_id', '=', param('id')),
)
const lastChecksOf = prepareQuery<{ project: string; most: number }>()((db, param) =>
  db
    .selectFrom('domains')
    .innerJoin('domain_checks', 'domain_checks.domain_id', 'domains.id')
    .select(['domain_checks.domain_id as id', 'domain_checks.judged as judged'])
    .where('domains.project_id', '=', param('project'))
    .limit(param('most')),
)
const lastEvidence = prepareQuery<{ id: string }>()((db, param) =>
  db.selectFrom('domain_checks').select('evidence').where('domain_id', '=', param('id')),
)

export async function findDomainById(
  session: Session,
  id: string,
): Promise<FoundDomain | undefined> {
  const row = await findOne(session, byId, { id })
  return row && domainOf(row)
}

/** The claim of one holder on a host, in any of the holder's projects. */
export async function findDomainOfHolder(
  session: Session,
  host: string,
  holder: string,
): Promise<FoundDomain | undefined> {
  const row = await findOne(session, ofHolder, { host, holder })
  return row && domainOf(row)
}

export async function findDomainInProject(
  session: Session,
  projectId: string,
  host: string,
): Promise<FoundDomain | undefined> {
  const row = await findOne(session, inProject, { project: projectId, host })
  return row && domainOf(row)
}

/** By host. */
export async function listDomains(session: Session, projectId: string): Promise<FoundDomain[]> {
  const rows = await session.all(ofProject, { project: projectId, most: maxOfProject })
  return rows.map(domainOf)
}

export async function countDomains(session: Session, projectId: string): Promise<number> {
  return Number((await findOne(session, countOfProject, { project: projectId }))?.count)
}

/** The result of the last check, as JSON. */
export async function findLastCheck(session: Session, id: string): Promise<string | undefined> {
  return (await findOne(session, lastCheck, { id }))?.judged
}

/** The same for all domains of a project, by id. */
export async function listLastChecks(
  session: Session,
  projectId: string,
): Promise<Map<string, string>> {
  const rows = await session.all(lastChecksOf, { project: projectId, most: maxOfProject })
  return new Map(rows.map(({ id, judged }) => [id, judged]))
}

/** The bundle of the last check, as JSON. */
export async function findLastEvidence(session: Session, id: string): Promise<string | undefined> {
  return (await findOne(session, lastEvidence, { id }))?.evidence
}
