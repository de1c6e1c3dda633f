// Reads deploys in the API's shape: one, which clients may wait for, the newest, and those of a project, newest first.

import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely, Selectable } from 'kysely'
import { findOne, type Session } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import { type Sent, toWire } from '#kit/schema/described-schema.ts'
import { type PublishingTables, prepare, prepareQuery } from '../../database/tables.ts'
import { Deploy } from './schema.ts'

/** The primary key of a deploy. */
export interface DeployKey {
  project: string
  number: number
}
export const deployKey = { project_id: 'project', number: 'number' } as const
export const markRemoved = prepare.update('deploys', { state: { value: 'removed' } }, deployKey)

const columns = [
  'number',
  'state',
  'kind',
  'source',
  'message',
  'created_by',
  'created_via',
  'token_label',
  'created_at',
  'finished_at',
  'source_files',
  'source_bytes',
  'site_files',
  'site_bytes',
  'failure',
  'failure_file',
  'failure_line',
  'preview',
  'warnings',
  'rebuild_of',
] as const
type Column = (typeof columns)[number]
type DeployRow = Pick<Selectable<PublishingTables['deploys']>, Column> & {
  created_by_name: string | null
}

/** Deploys with the names of their authors, for `deployOf`; without those that are not shown. */
export const selectDeploys = (db: Kysely<PublishingTables>) =>
  db
    .selectFrom('deploys')
    .leftJoin('accounts', 'accounts.id', 'deploys.created_by')
    .select(columns.map((column) => `deploys.${column}` as const))
    .select('accounts.name as created_by_name')
    .where('deploys.state', 'not in', ['receiving', 'removed'])

export function deployOf(row: DeployRow): Deploy {
  const { failure, failureFile: file, failureLine: line, ...deploy } = storedRow(row)
  const isPreview = deploy.preview !== null && deploy.state === 'superseded'
  const state = isPreview ? 'preview' : deploy.state
  const reason = failure === null ? null : { message: failure, file, line }
  return toWire(Deploy, { ...deploy, state, failure: reason } as Sent<Deploy>)
}

const page = prepareQuery<{ project: string; before: number; max: number }>()((db, param) =>
  selectDeploys(db)
    .where('deploys.project_id', '=', param('project'))
    .where('deploys.number', '<', param('before'))
    .orderBy('deploys.number', 'desc')
    .limit(param('max')),
)

const newest = prepareQuery<{ project: string }>()((db, param) =>
  selectDeploys(db)
    .where('deploys.project_id', '=', param('project'))
    .where((eb) => eb.or([eb('deploys.preview', 'is', null), eb('deploys.state', '=', 'live')]))
    .orderBy('deploys.number', 'desc')
    .limit(1),
)

/** The newest deploy of the site; those of previews are none until they are promoted. */
export const findNewestDeploy = async (session: Session, project: string) => {
  const row = await findOne(session, newest, { project })
  return row && deployOf(row)
}

/** At most `max` deploys whose number is smaller than `before`. */
export const listDeploys = async (
  session: Session,
  params: { project: string; before: number; max: number },
) => (await session.all(page, params)).map(deployOf)

const oneDeploy = prepareQuery<{ project: string; number: number }>()((db, param) =>
  selectDeploys(db).where((eb) =>
    eb.and({ 'deploys.project_id': param('project'), 'deploys.number': param('number') }),
  ),
)

/** A deploy that has not been removed. */
export const findDeploy = async (session: Session, project: string, number: number) => {
  const row = await findOne(session, oneDeploy, { project, number })
  return row && deployOf(row)
}

/** Short at first, because most deploys are small. */
const firstPollMs = 20
const maxPollMs = 250

/** State and number of files, such as `building:12`. */
export function progressOf({ siteFiles, state }: Deploy): string {
  return `${state}:${siteFiles}`
}

/** True once the build has finished or failed. */
export function isFinished({ state }: Deploy): boolean {
  return state !== 'uploaded' && state !== 'building'
}

/**
 * Resolves with the deploy once its progress differs from `after` (undefined: once it is finished), at the latest
 * after `maxWaitMs`. Undefined if the deploy does not exist.
 */
export async function waitForDeploy(
  session: Session,
  projectId: string,
  number: number,
  after: string | undefined,
  maxWaitMs: number,
  stopping?: AbortSignal,
): Promise<Deploy | undefined> {
  const deadline = performance.now() + maxWaitMs
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    const deploy = await findDeploy(session, projectId, number)
    if (!deploy || isFinished(deploy) || performance.now() >= deadline) return deploy
    if (stopping?.aborted) return deploy
    if (after !== undefined && progressOf(deploy) !== after) return deploy
    await delay(pollMs)
  }
}
