// Converts rows of deploys to the API's shape, and lists the deploys of a project, newest first.
import type { Selectable } from 'kysely'
import type { Session } from '../../../platform/database/database.ts'
import { type PublishingTables, prepareQuery } from '../../database/tables.ts'
import type { Deploy } from './schema.ts'

/** The primary key of a deploy. */
export interface DeployKey {
  project: string
  number: number
}

export const deployColumns = [
  'number',
  'state',
  'kind',
  'source',
  'created_by',
  'created_at',
  'finished_at',
  'source_files',
  'source_bytes',
  'site_files',
  'site_bytes',
  'failure',
  'failure_file',
  'failure_line',
] as const

export function deployOf(
  row: Pick<Selectable<PublishingTables['deploys']>, (typeof deployColumns)[number]>,
): Deploy {
  const { failure, failure_file: file, failure_line: line } = row
  const isoTime = (value: bigint) => new Date(Number(value)).toISOString()
  return {
    number: Number(row.number),
    state: row.state as Deploy['state'],
    kind: row.kind as Deploy['kind'],
    source: row.source as Deploy['source'],
    createdBy: row.created_by,
    createdAt: isoTime(row.created_at),
    finishedAt: row.finished_at === null ? null : isoTime(row.finished_at),
    sourceFiles: Number(row.source_files),
    sourceBytes: Number(row.source_bytes),
    siteFiles: Number(row.site_files),
    siteBytes: Number(row.site_bytes),
    failure: failure === null ? null : { message: failure, file, line: line ? Number(line) : null },
  }
}

const page = prepareQuery<{ project: string; before: number; max: number }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(deployColumns)
    .where('project_id', '=', param('project'))
    .where('number', '<', param('before'))
    .where('state', 'not in', ['receiving', 'removed'])
    .orderBy('number', 'desc')
    .limit(param('max')),
)

/** At most `max` deploys whose number is smaller than `before`. */
export async function listDeploys(
  session: Session,
  projectId: string,
  before: number,
  max: number,
): Promise<Deploy[]> {
  return (await session.all(page, { project: projectId, before, max })).map(deployOf)
}
