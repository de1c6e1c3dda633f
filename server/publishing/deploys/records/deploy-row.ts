// Deploys as rows: one, and those of a project, newest first.
import type { Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { Deploy } from './schema.ts'

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

export type DeployRow = Record<(typeof deployColumns)[number], string | bigint | null>

export function deployOf(row: DeployRow): Deploy {
  const { failure, failure_file: file, failure_line: line } = row
  return {
    number: Number(row.number),
    state: row.state as Deploy['state'],
    kind: row.kind as Deploy['kind'],
    source: row.source as Deploy['source'],
    createdBy: row.created_by as string | null,
    createdAt: time(row.created_at) as string,
    finishedAt: time(row.finished_at),
    sourceFiles: Number(row.source_files),
    sourceBytes: Number(row.source_bytes),
    siteFiles: Number(row.site_files),
    siteBytes: Number(row.site_bytes),
    failure:
      failure === null
        ? null
        : {
            message: String(failure),
            file: file as string | null,
            line: line === null ? null : Number(line),
          },
  }
}

function time(value: string | bigint | null): string | null {
  return value === null ? null : new Date(Number(value)).toISOString()
}

const page = prepareQuery<{ project: string; before: number; most: number }>()((db, param) =>
  db
    .selectFrom('deploys')
    .select(deployColumns)
    .where('project_id', '=', param('project'))
    .where('number', '<', param('before'))
    .where('state', 'not in', ['receiving', 'removed'])
    .orderBy('number', 'desc')
    .limit(param('most')),
)

/** At most `most` deploys whose number is smaller than `before`. */
export async function listDeploys(
  session: Session,
  projectId: string,
  before: number,
  most: number,
): Promise<Deploy[]> {
  return (await session.all(page, { project: projectId, before, most })).map(deployOf)
}
