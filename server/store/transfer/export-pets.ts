// All animals as text, page by page: every animal that is there throughout is in it exactly once, and no
// transaction is held while it is written.
import { writeCsvField } from '#kit/api/download.ts'
import type { Database } from '#kit/database/database.ts'
import { petJson, pets } from '../animals/list-pets.ts'
import type { PetStatus } from '../animals/schema.ts'
import type { Position } from '../operations/pages.ts'
import type { Form } from './forms.ts'

interface ExportedPart {
  text: string
  /** Animals in it. */
  count: number
}

const pageSize = 2000

/** By ascending id; those of one status where it is given. */
export async function* exportPets(
  database: Database,
  form: Form,
  status: PetStatus | undefined,
): AsyncGenerator<ExportedPart> {
  const { begin, end, separator = '', write } = writers[form]
  yield { text: begin, count: 0 }
  let before = ''
  let position: Position | undefined
  do {
    const page = await pets.read(database.read, { status }, pageSize, position)
    const rows = page.rows as PetRow[]
    if (rows.length > 0) {
      yield { text: before + write(rows), count: rows.length }
      before = separator
    }
    position = page.next
  } while (position)
  yield { text: end, count: 0 }
}

type PetRow = [id: bigint, name: string, categoryId: bigint, status: string]

interface PetWriter {
  /** What comes before the first animal. */
  begin: string
  write(rows: PetRow[]): string
  /** Between what is written. */
  separator?: string
  /** What comes after the last animal. */
  end: string
}

const writers: Record<Form, PetWriter> = {
  // RFC 4180: lines end with CRLF.
  csv: { begin: 'id,name,categoryId,status\r\n', write: csv, end: '' },
  ndjson: {
    begin: '',
    write: (rows) => rows.map((row) => `${petJson(...row)}\n`).join(''),
    end: '',
  },
  json: {
    begin: '[',
    write: (rows) => rows.map((row) => `\n${petJson(...row)}`).join(),
    separator: ',',
    end: '\n]\n',
  },
}

function csv(rows: PetRow[]): string {
  let text = ''
  for (const [id, name, categoryId, status] of rows) {
    text += `${id},${writeCsvField(name)},${categoryId},${status}\r\n`
  }
  return text
}
