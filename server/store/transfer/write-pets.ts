// Animals as text of each form, as reading it takes them back: names to the last code point, integers to
// the last digit.
import { petJson } from '../animals/pet-json.ts'
import { writeCsvField } from './csv.ts'
import type { Form } from './forms.ts'

export type PetRow = [id: bigint, name: string, categoryId: bigint, status: string]

export interface PetWriter {
  /** What comes before the first animal. */
  readonly begin: string
  /** Animals that follow those which were written before. */
  write(rows: PetRow[]): string
  /** What comes after the last animal. */
  readonly end: string
}

export function createPetWriter(form: Form): PetWriter {
  if (form === 'csv') {
    // RFC 4180: lines end with CRLF.
    return { begin: 'id,name,categoryId,status\r\n', write: csv, end: '' }
  }
  if (form === 'ndjson') {
    return {
      begin: '',
      write: (rows) => rows.map((row) => `${petJson(...row)}\n`).join(''),
      end: '',
    }
  }
  let isFirst = true
  return {
    begin: '[',
    write(rows) {
      const text = rows.map((row) => `\n${petJson(...row)}`).join()
      const comma = isFirst || text === '' ? '' : ','
      if (text !== '') isFirst = false
      return comma + text
    },
    end: '\n]\n',
  }
}

function csv(rows: PetRow[]): string {
  let text = ''
  for (const [id, name, categoryId, status] of rows) {
    text += `${id},${writeCsvField(name)},${categoryId},${status}\r\n`
  }
  return text
}
