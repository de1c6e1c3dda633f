// Reads the bytes of files from the database, as a whole or in pieces. They are found by content hash, so that all
// pieces belong to the same content.
import { sql } from 'kysely'
import type { Session } from '../../platform/database/database.ts'
import { unavailable } from '../../platform/errors.ts'
import type { Encoding } from '../../platform/http/request/negotiate.ts'
import { prepareQuery } from '../database/tables.ts'

const columns = { identity: 'content', gzip: 'gzip', br: 'brotli' } as const

const whole = { identity: wholeOf('identity'), gzip: wholeOf('gzip'), br: wholeOf('br') }
const piece = { identity: pieceOf('identity'), gzip: pieceOf('gzip'), br: pieceOf('br') }

function wholeOf(encoding: Encoding) {
  return prepareQuery<{ hash: string }>()((db, param) =>
    db
      .selectFrom('files')
      .select(`${columns[encoding]} as bytes`)
      .where('hash', '=', param('hash')),
  )
}

function pieceOf(encoding: Encoding) {
  return prepareQuery<{ hash: string; from: number; length: number }>()((db, param) => {
    const column = sql.ref<Uint8Array | null>(columns[encoding])
    const bytes = sql<Uint8Array | null>`substr(${column}, ${param('from')}, ${param('length')})`
    return db.selectFrom('files').select(bytes.as('bytes')).where('hash', '=', param('hash'))
  })
}

/** All bytes of a stored form. Throws `unavailable` if the file was deleted with its deploy. */
export async function readWhole(
  read: Session,
  hash: string,
  encoding: Encoding,
  length: number,
): Promise<Uint8Array> {
  return checked(await read.all(whole[encoding], { hash }), length)
}

/** `length` bytes of a stored form, starting at `from`, counted from 0. Throws `unavailable` if there are fewer. */
export async function readPiece(
  read: Session,
  hash: string,
  encoding: Encoding,
  from: number,
  length: number,
): Promise<Uint8Array> {
  return checked(await read.all(piece[encoding], { hash, from: from + 1, length }), length)
}

function checked(rows: { bytes: Uint8Array | null }[], length: number): Uint8Array {
  const bytes = rows[0]?.bytes
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
}

/** Maximum number of paths per query. */
export const maxPaths = 8

const slots = Array.from({ length: maxPaths }, (_, i) => `path${i}`)
type Asked = { project: string; number: bigint } & Record<string, string | bigint>

const filesAt = prepareQuery<Asked>()((db, param) =>
  db
    .selectFrom('deploy_files')
    .innerJoin('files', 'files.hash', 'deploy_files.hash')
    .select(['deploy_files.path', 'files.hash', 'files.size'])
    .select(({ fn }) => [
      fn<bigint | number | null>('length', ['files.gzip']).as('gzip'),
      fn<bigint | number | null>('length', ['files.brotli']).as('br'),
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
  const facts = rows.map(({ br, gzip, hash, path, size }) => {
    return { path, hash, size: Number(size), gzip: toLength(gzip), br: toLength(br) }
  })
  return new Map(facts.map((one) => [one.path, one]))
}

function toLength(length: bigint | number | null): number | undefined {
  return length === null ? undefined : Number(length)
}
