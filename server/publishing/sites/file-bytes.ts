// Reads the bytes of files, as a whole or in pieces: from the database, or from the object to which the row refers. They
// are found by content hash, so that all pieces belong to the same content.

import { type FunctionModule, type ReferenceExpression, sql } from 'kysely'
import type { Session } from '#kit/database/database.ts'
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

/** Maximum number of paths per query. */
export const maxPaths = 8

const slots = Array.from({ length: maxPaths }, (_, i) => `path${i}`)
type Asked = { project: string; number: bigint } & Record<string, string | bigint>

function lengthOf<DB, TB extends keyof DB>(
  fn: FunctionModule<DB, TB>,
  column: ReferenceExpression<DB, TB>,
) {
  return fn<bigint | number | null>('length', [column])
}

const filesAt = prepareQuery<Asked>()((db, param) =>
  db
    .selectFrom('deploy_files')
    .innerJoin('files', 'files.hash', 'deploy_files.hash')
    .select(['deploy_files.path', 'deploy_files.connect_to', 'files.hash', 'files.size'])
    .select(({ fn }) => [
      fn.coalesce('files.gzip_size', lengthOf(fn, 'files.gzip')).as('gzip'),
      fn.coalesce('files.brotli_size', lengthOf(fn, 'files.brotli')).as('br'),
    ])
    .where('deploy_files.project_id', '=', param('project'))
    .where('deploy_files.number', '=', param('number'))
    .where(
      'deploy_files.path',
      'in',
      slots.map((slot) => param(slot) as string),
    ),
)

/** The files of the deploy at the given paths, by path. `paths` must not be empty. */
export async function factsOf(
  read: Session,
  deploy: { projectId: string; number: bigint },
  paths: readonly string[],
): Promise<Map<string, FileFacts>> {
  const params: Asked = { project: deploy.projectId, number: deploy.number }
  for (const [i, slot] of slots.entries()) params[slot] = paths[i] ?? (paths[0] as string)
  const rows = await read.all(filesAt, params)
  const facts = rows.map(({ br, connect_to: connectTo, gzip, hash, path, size }) => {
    const lengths = { size: Number(size), gzip: toLength(gzip), br: toLength(br) }
    return { path, hash, ...lengths, connectTo: connectTo ?? undefined }
  })
  return new Map(facts.map((one) => [one.path, one]))
}

function toLength(length: bigint | number | null): number | undefined {
  return length === null ? undefined : Number(length)
}
