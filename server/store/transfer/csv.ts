// The fields of one record of CSV, strictly as RFC 4180 has them: spaces belong to the field, quotation
// marks stand around a whole field and are doubled inside.
import { type EndFinder, LINE_FEED } from './split-lines.ts'

type CsvFields = { fields: string[] } | { problem: string }

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

const QUOTE = 0x22
const COMMA = 0x2c
const nowhere = Number.POSITIVE_INFINITY

export class CsvEndFinder implements EndFinder {
  seen = 0
  /** Between an opening mark and the one that closes it. */
  isQuoted = false
  #data: Buffer = Buffer.alloc(0)
  /** The byte before data, of which nothing is kept. */
  #before = LINE_FEED
  /** The next of each at or after the place that was asked for last, so that no byte is passed twice. */
  #nextQuote = -1
  #nextEnd = -1

  find(data: Buffer, from: number): number {
    if (data !== this.#data) {
      this.#data = data
      this.#nextQuote = -1
      this.#nextEnd = -1
    }
    for (let at = from; ; ) {
      const quote = this.#findQuote(at)
      if (this.isQuoted) {
        // Only the next byte shows whether it is doubled.
        if (quote + 1 >= data.length) return this.#stop(Math.min(quote, data.length))
        if (data[quote + 1] === QUOTE) at = quote + 2
        else {
          this.isQuoted = false
          at = quote + 1
        }
        continue
      }
      const end = this.#findEnd(at)
      if (quote > end || quote === nowhere) {
        return end === nowhere ? this.#stop(data.length) : end
      }
      const before = quote === 0 ? this.#before : data[quote - 1]
      this.isQuoted = before === COMMA || before === LINE_FEED
      at = quote + 1
    }
  }

  drop(count: number): void {
    this.seen -= count
    if (count > 0) this.#before = this.#data[count - 1] as number
  }

  #stop(at: number): number {
    this.seen = at
    return -1
  }

  #findQuote(at: number): number {
    if (this.#nextQuote < at) this.#nextQuote = orNowhere(this.#data.indexOf(QUOTE, at))
    return this.#nextQuote
  }

  #findEnd(at: number): number {
    if (this.#nextEnd < at) this.#nextEnd = orNowhere(this.#data.indexOf(LINE_FEED, at))
    return this.#nextEnd
  }
}

function orNowhere(at: number): number {
  return at < 0 ? nowhere : at
}
