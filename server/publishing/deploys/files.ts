// Files by content: kept once, however many deploys have them, as long as anything refers to them. A file
// and the first reference to it are written in one transaction, and both its removal and a new reference
// take the same lock: so none is lost, and none is left over.
import { hash } from 'node:crypto'
import {
  type Database,
  each,
  findOne,
  type Session,
  type Work,
} from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { lockPublishing } from '../state.ts'
import { define } from '../tables.ts'

export interface ContentFile {
  hash: string
  bytes: Uint8Array
}

/** SHA-256 in lower-case hexadecimal: the name of a file by its content. */
export function contentHash(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

const insertFile = define<{ hash: string; size: number; content: Uint8Array }>()((db, param) =>
  db
    .insertInto('files')
    .values({
      hash: param('hash'),
      size: param('size') as never,
      content: param('content'),
      gzip: null,
      brotli: null,
      coded: 0n,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)
const insertUpload = define<{ project: string; hash: string; size: number; now: number }>()(
  (db, param) =>
    db
      .insertInto('uploads')
      .values({
        project_id: param('project'),
        hash: param('hash'),
        size: param('size') as never,
        uploaded_at: param('now') as never,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'hash'])
          .doUpdateSet({ uploaded_at: param('now') as never }),
      ),
)
const uploadedBytes = define<{ project: string }>()((db, param) =>
  db
    .selectFrom('uploads')
    .select((eb) => eb.fn.sum<bigint | string | null>('size').as('bytes'))
    .where('project_id', '=', param('project')),
)
const projectExists = define<{ id: string }>()((db, param) =>
  db.selectFrom('projects').select('id').where('id', '=', param('id')),
)
const hashesOfProject = define<{ project: string }>()((db, param) =>
  db
    .selectFrom('uploads')
    .select('hash')
    .where('project_id', '=', param('project'))
    .union(
      db.selectFrom('deploy_sources').select('hash').where('project_id', '=', param('project')),
    ),
)
const deleteUpload = define<{ project: string; hash: string }>()((db, param) =>
  db
    .deleteFrom('uploads')
    .where('project_id', '=', param('project'))
    .where('hash', '=', param('hash')),
)
const deleteUnreferenced = define<{ hash: string }>()((db, param) =>
  db
    .deleteFrom('files')
    .where('hash', '=', param('hash'))
    .where((eb) =>
      eb.and(
        (['uploads', 'deploy_sources', 'deploy_files'] as const).map((table) =>
          eb.not(
            eb.exists(
              eb.selectFrom(table).select('hash').whereRef(`${table}.hash`, '=', 'files.hash'),
            ),
          ),
        ),
      ),
    ),
)

export interface Upload {
  projectId: string
  files: ContentFile[]
  /** Bytes that uploads of the project may have together. */
  mostBytes: number
  now: number
}

/**
 * Keeps files until a deploy takes them. Throws `limit_reached`. All uploads of a transaction are checked
 * together; where one is refused, each is tried for itself.
 */
export const uploading: Work<Upload, void> = async (session, uploads) => {
  for (const [projectId, its] of Map.groupBy(uploads, (upload) => upload.projectId)) {
    const [{ mostBytes, now }] = its as [Upload]
    await uploadIn(session, { projectId, files: its.flatMap(({ files }) => files), mostBytes, now })
  }
  return uploads.map(() => undefined)
}

/** The same inside a larger write. */
export async function uploadIn(
  session: Session,
  { files, mostBytes, now, projectId }: Upload,
): Promise<void> {
  await lockPublishing(session)
  if (!(await findOne(session, projectExists, { id: projectId }))) {
    throw new AppError('project_not_found', 'The project has been deleted.')
  }
  const before = await findOne(session, uploadedBytes, { project: projectId })
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, Number(before?.bytes ?? 0))
  if (bytes > mostBytes) {
    const message = `Uploads that no deploy has taken may have ${mostBytes} bytes together. Deploy, or wait a day.`
    throw new AppError('limit_reached', message)
  }
  for (const file of files) {
    await insertContent(session, file)
    const upload = { project: projectId, hash: file.hash, size: file.bytes.length, now }
    await session.all(insertUpload, upload)
  }
}

/** Inside a write that holds the lock and makes a reference to it. */
export async function insertContent(session: Session, file: ContentFile): Promise<void> {
  await session.all(insertFile, { hash: file.hash, size: file.bytes.length, content: file.bytes })
}

/** Takes uploads back that no deploy will take. For a group commit. */
export const uploadRemoval = each(
  async (session, { projectId, hashes }: { projectId: string; hashes: string[] }) => {
    await lockPublishing(session)
    for (const each of hashes) await session.all(deleteUpload, { project: projectId, hash: each })
    await dropUnreferenced(session, hashes)
  },
)

/** Deletes those of the files that nothing refers to. Inside a write that holds the lock. */
export async function dropUnreferenced(session: Session, hashes: string[]): Promise<void> {
  for (const each of hashes) await session.all(deleteUnreferenced, { hash: each })
}

/**
 * Those of the hashes that the project does not have. What other projects have counts for nothing: who
 * knows the hash of a file need not have the file.
 */
export async function findMissing(
  session: Session,
  projectId: string,
  hashes: string[],
): Promise<string[]> {
  const rows = await session.all(hashesOfProject, { project: projectId })
  const known = new Set(rows.map((row) => row.hash))
  return [...new Set(hashes)].filter((each) => !known.has(each))
}

const oldUploads = define<{ before: number; most: number }>()((db, param) =>
  db
    .selectFrom('uploads')
    .select(['project_id', 'hash'])
    .where('uploaded_at', '<', param('before') as never)
    .orderBy('uploaded_at')
    .limit(param('most')),
)
const forgetSome = each(async (session, { before }: { before: number }) => {
  await lockPublishing(session)
  const found = await session.all(oldUploads, { before, most: 200 })
  for (const { hash, project_id: project } of found) {
    await session.all(deleteUpload, { project, hash })
  }
  await dropUnreferenced(
    session,
    found.map(({ hash }) => hash),
  )
  return found.length
})

/** Forgets uploads from before a moment that no deploy has taken, bit by bit. */
export async function forgetUploads(database: Database, before: number): Promise<void> {
  while ((await database.read.all(oldUploads, { before, most: 1 })).length > 0) {
    await database.write(forgetSome, { before })
  }
}
