// What the projects of an owner store, and the quota of the owner's plan. Every deploy counts with its sources and its
// site, also where files are shared, so that the sum is quick and does not change without an upload.

import { sql } from 'kysely'
import { type Database, getOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { prepareQuery } from '../database/tables.ts'
import { markRemoved } from '../deploys/records/deploy-row.ts'
import { type PlanLimits, planLimits } from './plan-limits.ts'

interface StoredSpace {
  files: number
  bytes: number
}

type Quota = Pick<PlanLimits, 'storedFiles' | 'storedBytes'>

/** Deploys that one transaction removes. */
const maxRemoved = 200
/** Read together by the sweep. */
const maxOwners = 100

/** Empty for the projects of all operators. */
const owner = sql<string>`coalesce(projects.owner_id, '')`
const bytesOfDeploy = sql<bigint>`deploys.source_bytes + deploys.site_bytes`
const filesOfDeploy = sql<bigint>`deploys.source_files + deploys.site_files`
const sum = (of: typeof bytesOfDeploy) => sql<bigint | string>`coalesce(sum(${of}), 0)`

/** What the deploys of an owner or of a project take up, and the uploads that no deploy uses yet. */
const spaceOf = (key: typeof owner) => ({
  inDeploys: prepareQuery<{ key: string }>()((db, param) =>
    db
      .selectFrom('projects')
      .innerJoin('deploys', 'deploys.project_id', 'projects.id')
      .select([sum(bytesOfDeploy).as('bytes'), sum(filesOfDeploy).as('files')])
      .where('deploys.state', '!=', 'removed')
      .where(key, '=', param('key')),
  ),
  inUploads: prepareQuery<{ key: string }>()((db, param) =>
    db
      .selectFrom('projects')
      .innerJoin('uploads', 'uploads.project_id', 'projects.id')
      .select((eb) => [
        sum(sql<bigint>`uploads.size`).as('bytes'),
        eb.fn.countAll<bigint>().as('files'),
      ])
      .where(key, '=', param('key')),
  ),
})
const ofOwner = spaceOf(owner)
const ofProject = spaceOf(sql<string>`projects.id`)
const removable = prepareQuery<{ owner: string; max: number }>()((db, param) =>
  db
    .selectFrom('projects')
    .innerJoin('deploys', 'deploys.project_id', 'projects.id')
    .select(['project_id', 'number', bytesOfDeploy.as('bytes'), filesOfDeploy.as('files')])
    .where('deploys.state', 'in', ['superseded', 'failed'])
    // Previews end by themselves.
    .where((eb) => eb.or([eb('deploys.preview', 'is', null), eb('deploys.state', '=', 'failed')]))
    .where(owner, '=', param('owner'))
    .orderBy('deploys.created_at')
    .limit(param('max')),
)
/** A page of owners with what their deploys take up. Operators share the projects without an owner. */
const owners = prepareQuery<{ after: string; max: number }>()((db, param) =>
  db
    .selectFrom('projects')
    .innerJoin('accounts', 'accounts.id', 'projects.owner_id')
    .innerJoin('deploys', 'deploys.project_id', 'projects.id')
    .select([
      'accounts.id as owner',
      'accounts.plan',
      sum(bytesOfDeploy).as('bytes'),
      sum(filesOfDeploy).as('files'),
    ])
    .where('deploys.state', '!=', 'removed')
    .where('accounts.id', '>', param('after'))
    .groupBy(['accounts.id', 'accounts.plan'])
    .orderBy('accounts.id')
    .limit(param('max')),
)

/** What the deploys and uploads of an owner take up. */
export const findStoredSpace = (session: Session, owner: string): Promise<StoredSpace> =>
  findSpace(session, ofOwner, owner)

/** What the deploys and uploads of a project take up. */
export const findProjectSpace = (session: Session, project: string): Promise<StoredSpace> =>
  findSpace(session, ofProject, project)

/** What uploads that no deploy uses yet take up. */
export async function findUploadedSpace(session: Session, owner: string): Promise<StoredSpace> {
  return asSpace(await getOne(session, ofOwner.inUploads, { key: owner }))
}

async function findSpace(
  session: Session,
  { inDeploys, inUploads }: typeof ofOwner,
  key: string,
): Promise<StoredSpace> {
  const deploys = asSpace(await getOne(session, inDeploys, { key }))
  const uploads = asSpace(await getOne(session, inUploads, { key }))
  return { files: deploys.files + uploads.files, bytes: deploys.bytes + uploads.bytes }
}

/**
 * Makes room for a deploy within the quota, inside a write that has the lock: removes superseded and failed deploys of
 * the owner, the oldest first. Throws `limit_reached` when that is not enough.
 */
export async function makeRoom(
  session: Session,
  owner: string,
  { storedBytes, storedFiles }: Quota,
): Promise<void> {
  const stored = await findStoredSpace(session, owner)
  if (fits(stored, { storedBytes, storedFiles })) return
  await removeOldest(session, owner, stored, { storedBytes, storedFiles })
  if (fits(stored, { storedBytes, storedFiles })) return
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`
  throw new AppError(
    'limit_reached',
    `The plan allows ${storedFiles} files and ${megabytes(storedBytes)} in all projects; with this deploy there are ` +
      `${stored.files} files and ${megabytes(stored.bytes)}. Delete a project, end a preview, or deploy less.`,
  )
}

/** Subtracts what it removes from `stored`. */
async function removeOldest(
  session: Session,
  owner: string,
  stored: StoredSpace,
  quota: Quota,
): Promise<void> {
  for (const each of await session.all(removable, { owner, max: maxRemoved })) {
    if (fits(stored, quota)) return
    await session.all(markRemoved, { project: each.project_id, number: each.number })
    stored.bytes -= Number(each.bytes)
    stored.files -= Number(each.files)
  }
}

const removeExcessTransaction = locked(
  async (session, { owner, quota }: { owner: string; quota: Quota }): Promise<void> => {
    await removeOldest(session, owner, await findStoredSpace(session, owner), quota)
  },
)

/** Removes old deploys of owners over their quota, which a plan that was lowered or a large site causes. */
export async function removeExcessDeploys(database: Database): Promise<void> {
  let after = ''
  for (;;) {
    const rows = await database.read.all(owners, { after, max: maxOwners })
    for (const { owner, plan, ...stored } of rows) {
      const quota = planLimits[plan]
      if (!fits(asSpace(stored), quota)) {
        await removeExcessTransaction(database, { owner, quota })
      }
    }
    if (rows.length < maxOwners) return
    after = rows.at(-1)?.owner ?? ''
  }
}

function fits({ bytes, files }: StoredSpace, { storedBytes, storedFiles }: Quota): boolean {
  return bytes <= storedBytes && files <= storedFiles
}

function asSpace(sums: Record<keyof StoredSpace, bigint | string>): StoredSpace {
  return { bytes: Number(sums.bytes), files: Number(sums.files) }
}
