// The forms of a file of animals, and how one is known by its name.

export type Form = 'csv' | 'json' | 'ndjson'

export const forms: { value: Form; label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'ndjson', label: 'NDJSON' },
]

export const mediaTypes: Record<Form, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}

/** CSV for a name that says nothing. */
export function formOfName(name: string): Form {
  const extension = name.split('.').at(-1)?.toLowerCase()
  if (extension === 'json') return 'json'
  return extension === 'ndjson' || extension === 'jsonl' ? 'ndjson' : 'csv'
}
