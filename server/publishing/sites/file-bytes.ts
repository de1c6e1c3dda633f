// Reads the bytes of files from the database: whole, or a piece at a time. Bytes are found by the hash
// of the content, so that what is read of one file is always of the same one.
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

/** All bytes of a stored form. Throws `unavailable` when the file has gone, with its deploy. */
export async function readWhole(
  read: Session,
  hash: string,
  encoding: Encoding,
  length: number,
): Promise<Uint8Array> {
  return checked(await read.all(whole[encoding], { hash }), length)
}

/** `length` bytes of a stored form from `from` on, counted from 0; that many are there. */
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
  // Its length has been announced, or will be: fewer bytes would break the connection's framing.
  if (bytes?.length === length) return bytes
  throw unavailable(new Error(`a published file has ${bytes?.length} bytes instead of ${length}`))
}
