// The file formats of imports and exports, and how the format of an input is recognized.
import { extname } from 'node:path'

export const forms = ['csv', 'ndjson', 'json'] as const
export type Form = (typeof forms)[number]

const extensions: Record<string, Form> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
}

export const mediaTypes: Record<Form, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
}

/** The form that a file's name says. */
export function formOfName(name: string): Form | undefined {
  return extensions[extname(name).toLowerCase()]
}

/** The form that an input's beginning shows: `[` an array, `{` a line of NDJSON, anything else CSV. */
export function sniffForm(beginning: Uint8Array): Form {
  const first = beginning.find((byte) => !/\s/.test(String.fromCharCode(byte)))
  if (first === 0x5b) return 'json'
  return first === 0x7b ? 'ndjson' : 'csv'
}
