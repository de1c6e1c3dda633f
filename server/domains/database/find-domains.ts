// Finds domains by project or host, and their last checks.
import type { Kysely } from 'kysely'
import { findOne, type Session } from '#kit/database/database.ts'
import type { Param } from '#kit/database/query.ts'
import { type PublishingTables, prepare, prepareQuery } from '#publishing/database/tables.ts'
import { selectProjectsOf } from '#publishing/projects/project-roles.ts'
import type { DomainState } from '../state/domain-state.ts'
import { challengeColumns } from './challenges.ts'
import { domainOf, type FoundDomain } from './domain-row.ts'

/** Upper bound for the rows of a list: no project has more domains. */
const maxOfProject = 1000

const byId = prepare.select('domains', 'all', { id: 'id' })
const ofProject = prepare.select(
  'domains',
  'all',
  { project_id: 'project' },
  { orderBy: ['host'], limit: maxOfProject },
)
const ofHolder = prepare.select('domains', 'all', { host: 'host', holder: 'holder' })
const inProject = prepare.select('domains', 'all', { project_id: 'project', host: 'host' })
const countOfProject = prepare.count('domains', { project_id: 'project' })
interface Page {
  /** Those after this one. */
  host: string
  id: string
  max: number
}
type PageFor = Page & { account: string }

const selectPage = (db: Kysely<PublishingTables>, param: Param<Page>) =>
  db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .innerJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'projects.id').on('slugs.is_current', '=', 1n),
    )
    .select(['domains.id', 'host', 'serving', 'slug', 'projects.name'])
    .where((eb) =>
      eb.or([
        eb('host', '>', param('host')),
        eb.and([eb('host', '=', param('host')), eb('domains.id', '>', param('id'))]),
      ]),
    )
    .orderBy('host')
    .orderBy('domains.id')
    .limit(param('max'))
const pages = {
  ofAll: prepareQuery<PageFor>()(selectPage),
  /** Of the projects of an owner. */
  ofOwner: prepareQuery<PageFor>()((db, param) =>
    selectPage(db, param).where('projects.owner_id', '=', param('account')),
  ),
  /** Of the projects that an account owns or is a member of. */
  ofMember: prepareQuery<PageFor>()((db, param) =>
    selectPage(db, param).where('projects.id', 'in', selectProjectsOf(db, param('account'))),
  ),
}
const detailColumns = [
  'domains.id',
  'domain_checks.judged',
  'certificates.issuer',
  'certificates.fingerprint',
  'certificates.issued_at as certificateAt',
  ...challengeColumns,
] as const
const selectDetails = (db: Kysely<PublishingTables>) =>
  db
    .selectFrom('domains')
    .leftJoin('domain_checks', 'domain_checks.domain_id', 'domains.id')
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', 1n),
    )
    .leftJoin('certificate_orders', 'certificate_orders.domain_id', 'domains.id')
    .select(detailColumns)
const detailsById = prepareQuery<{ id: string }>()((db, param) =>
  selectDetails(db).where('domains.id', '=', param('id')),
)
const detailsOfProject = prepareQuery<{ project: string }>()((db, param) =>
  selectDetails(db).where('domains.project_id', '=', param('project')).limit(maxOfProject),
)
const lastEvidence = prepare.select('domain_checks', ['evidence'], { domain_id: 'id' })

export async function findDomainById(session: Session, id: string) {
  const row = await findOne(session, byId, { id })
  return row && domainOf(row)
}

/** The claim of one holder on a host, in any of the holder's projects. */
export async function findDomainOfHolder(session: Session, host: string, holder: string) {
  const row = await findOne(session, ofHolder, { host, holder })
  return row && domainOf(row)
}

export async function findDomainInProject(session: Session, projectId: string, host: string) {
  const row = await findOne(session, inProject, { project: projectId, host })
  return row && domainOf(row)
}

/** By host. */
export async function listDomains(session: Session, projectId: string): Promise<FoundDomain[]> {
  return (await session.all(ofProject, { project: projectId })).map(domainOf)
}

/** By host. */
export async function listDomainPage(session: Session, of: keyof typeof pages, page: PageFor) {
  const rows = await session.all(pages[of], page)
  return rows.map((row) => ({ ...row, serving: row.serving as DomainState['serving'] }))
}

export async function countDomains(session: Session, projectId: string): Promise<number> {
  return Number((await findOne(session, countOfProject, { project: projectId }))?.count)
}

/**
 * What the API shows besides the row: the last check as JSON, the certificate in use with the SHA-256 in lower-case
 * hexadecimal and when it was issued, the open order.
 */
export type DomainDetails = (typeof detailsById)['row']

export async function findDomainDetails(session: Session, id: string) {
  return await findOne(session, detailsById, { id })
}

/** By the domain's id. */
export async function listDomainDetails(session: Session, projectId: string) {
  const rows = await session.all(detailsOfProject, { project: projectId })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The bundle of the last check, as JSON. */
export async function findLastEvidence(session: Session, id: string): Promise<string | undefined> {
  return (await findOne(session, lastEvidence, { id }))?.evidence
}
