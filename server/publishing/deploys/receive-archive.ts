// Receives uploads: an archive, or the file paths of a folder, which must be canonical and distinct.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '#kit/database/database.ts'
import { AppError, type Problem } from '#kit/errors.ts'
import { canonicalPath, createPathSet } from '#renderer/site-files/canonical-path.ts'
import { DeployFailure, type SiteFile } from '#renderer/site-files/site-file.ts'
import { archiveForm, readArchive, withoutCommonFolder } from '../archives/read-archive.ts'
import type { PlanLimits } from '../projects/plan-limits.ts'
import { batches } from './batches.ts'
import type { SourceFile } from './create-deploy.ts'
import { type ContentFile, contentHash, removeUploads, uploadFilesTransaction } from './files.ts'

const uploadBatch = { maxBytes: 1024 * 1024, maxFiles: 200 }

interface ArchiveUpload {
  projectId: string
  body: AsyncIterable<Uint8Array>
  limits: PlanLimits
  /** Limits how many archives are read at once: each needs memory for up to two files. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  now: number
}

interface ReceivedFiles {
  archive: string
  files: SourceFile[]
}

/**
 * Stores the files of the archive as uploads of the project until `use` has created a deploy with them. Throws
 * `invalid_archive`.
 */
export async function receiveArchive<T>(
  database: Database,
  upload: ArchiveUpload,
  use: (received: ReceivedFiles) => Promise<T>,
): Promise<T> {
  const archive = randomUUID()
  const file = await openTemporaryFile()
  try {
    await file.writeFile(upload.body)
    const files = await upload.inTurn(() => keepFiles(database, upload, file, archive))
    return await use({ archive, files })
  } catch (error) {
    // If this fails, the uploads are deleted after one day.
    await removeUploads(database, { ...upload, archive }).catch(() => {})
    throw error instanceof DeployFailure ? asRefusal(error) : error
  } finally {
    await file.close()
  }
}

async function keepFiles(
  database: Database,
  { limits, now, projectId }: ArchiveUpload,
  archiveFile: FileHandle,
  archive: string,
): Promise<SourceFile[]> {
  const sources: SourceFile[] = []
  const unpacked = readFiles(archiveFile, limits)
  for await (const batch of batches(unpacked, uploadBatch, ({ bytes }) => bytes.length)) {
    const files: ContentFile[] = batch.map(({ bytes, path }) => {
      const hash = contentHash(bytes)
      sources.push({ path, hash })
      return { hash, bytes }
    })
    const upload = { projectId, files, archive, limits, now }
    await database.write(uploadFilesTransaction, upload)
  }
  const paths = withoutCommonFolder(sources.map(({ path }) => path))
  return sources.map(({ hash }, i) => ({ path: paths[i] as string, hash }))
}

async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `animal-store-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

async function* readFiles(file: FileHandle, limits: PlanLimits): AsyncGenerator<SiteFile> {
  const first = Buffer.alloc(512)
  const { bytesRead } = await file.read(first, 0, first.length, 0)
  const form = archiveForm(first.subarray(0, bytesRead))
  if (!form) {
    throw new DeployFailure(
      'The request body is not a .zip or .tar.gz file. Send the archive itself as the body.',
    )
  }
  yield* readArchive(file.fd, form, limits)
}

function asRefusal({ file, message }: DeployFailure): AppError {
  const shown = file === undefined ? message : `${file}: ${message}`
  return new AppError('invalid_archive', shown, { details: [{ path: file ?? '', message }] })
}

const maxProblems = 100

/** Returns the files with canonical paths. Throws `invalid_body` with all problems. */
export function checkPaths(files: SourceFile[]): SourceFile[] {
  const paths = createPathSet()
  const problems: Problem[] = []
  const checked = files.map(({ hash, path: name }, i) => {
    const path = canonicalPath(name)
    const refused = 'refused' in path ? path.refused : paths.add(path.path, 'file')
    if (refused !== undefined && problems.length < maxProblems) {
      problems.push({ path: `files[${i}].path`, message: refused })
    }
    return { path: 'path' in path ? path.path : name, hash }
  })
  if (problems.length === 0) return checked
  const message = problems.map((problem) => problem.message).join(' ')
  throw new AppError('invalid_body', message.slice(0, 2000), { details: problems })
}
