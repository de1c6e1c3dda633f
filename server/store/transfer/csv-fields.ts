// The fields of one record of CSV, strictly as RFC 4180 has them: spaces belong to the field, quotation
// marks stand around a whole field and are doubled inside.

export type CsvFields = { fields: string[] } | { problem: string }

/** Takes a record without the line break that ends it. */
export function readCsvFields(text: string): CsvFields {
  if (text.includes('\0')) return { problem: 'The record contains a NUL.' }
  if (!text.includes('"')) {
    if (text.includes('\r')) return { problem: strayReturn }
    return { fields: text.split(',') }
  }
  const fields: string[] = []
  for (let at = 0; ; at++) {
    const read = text[at] === '"' ? readQuoted(text, at + 1) : readPlain(text, at)
    if ('problem' in read) return read
    fields.push(read.field)
    at = read.end
    if (at === text.length) return { fields }
    if (text[at] !== ',') {
      return { problem: `Something follows the closing quotation mark of field ${fields.length}.` }
    }
  }
}

/** A field as it has to be written. */
export function writeCsvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type Field = { field: string; end: number } | { problem: string }

const strayReturn =
  'A carriage return stands outside of quotation marks, and not before a line feed.'

function readPlain(text: string, start: number): Field {
  const comma = text.indexOf(',', start)
  const end = comma < 0 ? text.length : comma
  const field = text.slice(start, end)
  if (field.includes('"')) {
    return {
      problem:
        'A quotation mark stands inside a field that does not begin with one; quote the whole field and double the mark.',
    }
  }
  return field.includes('\r') ? { problem: strayReturn } : { field, end }
}

function readQuoted(text: string, start: number): Field {
  for (let from = start; ; ) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return { problem: 'A quotation mark is opened and never closed.' }
    if (text[quote + 1] !== '"') {
      const field = text.slice(start, quote)
      return { field: from === start ? field : field.replaceAll('""', '"'), end: quote + 1 }
    }
    from = quote + 2
  }
}
