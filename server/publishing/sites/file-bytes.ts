// Reads the bytes of files, as a whole or in pieces: from the database, or from the object to which the row refers. They
// are found by content hash, so that all pieces belong to the same content. Compresses them.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { sql } from 'kysely'
import type { Session } from '#kit/database/database.ts'
import { isOneOfTexts } from '#kit/database/json-rows.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { unavailable } from '#kit/errors.ts'
import type { Encoding } from '#kit/http/response/ready-response.ts'
import { prepareQuery } from '../database/tables.ts'
import { type FileSource, findPlace, placeColumns } from '../objects/read-objects.ts'

const columns = { identity: 'content', gzip: 'gzip', br: 'brotli' } as const

const pieces = { identity: pieceOf('identity'), gzip: pieceOf('gzip'), br: pieceOf('br') }

function pieceOf(encoding: Encoding) {
  return prepareQuery<{ hash: string; from: number; length: number }>()((db, param) => {
    const column = sql.ref<Uint8Array | null>(columns[encoding])
    const bytes = sql<Uint8Array | null>`substr(${column}, ${param('from')}, ${param('length')})`
    return db
      .selectFrom('files')
      .select([bytes.as('bytes'), ...placeColumns])
      .where('hash', '=', param('hash'))
  })
}

/**
 * Locates `length` bytes of a stored form, starting at `from`, counted from 0: reads the row, and with it the bytes unless
 * they are in an object. What it gives reads those, and throws `unavailable` if the bytes cannot be read, such as when the
 * file was deleted with its deploy.
 */
export async function locate(
  { objects, read }: FileSource,
  hash: string,
  encoding: Encoding,
  from: number,
  length: number,
): Promise<() => Promise<Uint8Array>> {
  const [row] = await read.all(pieces[encoding], { hash, from: from + 1, length })
  const place = row && findPlace(row)
  if (place) return () => objects.read(place, encoding, from, length)
  return async () => checked(row?.bytes, length)
}

function checked(bytes: Uint8Array | null | undefined, length: number): Uint8Array {
  // Content-Length declares this length; fewer bytes would break the framing of the connection.
  if (bytes?.length === length) return bytes
  throw unavailable(new Error(`a published file has ${bytes?.length} bytes instead of ${length}`))
}

export interface FileFacts {
  /** Canonical. */
  path: string
  /** Content hash: the key in the database and the base of the entity tag. */
  hash: string
  size: number
  /** Sizes of the compressed forms; undefined if not stored. */
  gzip: number | undefined
  br: number | undefined
  /** The origin to which the page may connect, apart from its own. */
  connectTo?: string | undefined
}

/** `paths`: a JSON array. */
type Asked = { project: string; number: bigint; paths: string }

const filesAt = prepareQuery<Asked>()((db, param) =>
  db
    .selectFrom('deploy_files')
    .innerJoin('files', 'files.hash', 'deploy_files.hash')
    .select(['deploy_files.path', 'deploy_files.connect_to', 'files.hash', 'files.size'])
    .select([
      sql<bigint | number | null>`coalesce(gzip_size, length(gzip))`.as('gzip'),
      sql<bigint | number | null>`coalesce(brotli_size, length(brotli))`.as('br'),
    ])
    .where('deploy_files.project_id', '=', param('project'))
    .where('deploy_files.number', '=', param('number'))
    .where(isOneOfTexts(db, 'deploy_files.path', param('paths'))),
)

/** The files of the deploy at the given paths, by path. */
export async function factsOf(
  read: Session,
  deploy: { projectId: string; number: bigint },
  paths: readonly string[],
): Promise<Map<string, FileFacts>> {
  const { number, projectId: project } = deploy
  const rows = await read.all(filesAt, { project, number, paths: JSON.stringify(paths) })
  return new Map(rows.map((row) => [row.path, plainRow(row)]))
}

const toGzip = promisify(gzip)
const toBrotli = promisify(brotliCompress)

/** Null for a form that is not smaller than `maxShare` of the bytes. `quality`: of brotli. */
export async function compress(bytes: Uint8Array, quality: number, maxShare = 1) {
  // The window is no larger than the file, because brotli clears memory for the whole window.
  const window = Math.min(22, Math.max(10, Math.ceil(Math.log2(bytes.length + 16))))
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: window,
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const coded = [toGzip(bytes, { level: 9 }), toBrotli(bytes, { params })]
  const isWorth = (form: Buffer) => form.length < bytes.length * maxShare
  const forms = (await Promise.all(coded)).map((form) => (isWorth(form) ? form : null))
  const [zipped = null, brotli = null] = forms
  return { gzip: zipped, brotli }
}
