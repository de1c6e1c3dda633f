// Parses JSON responses of an authority. Every field that is used is validated; an invalid one throws a
// MalformedResponse that names it. Unknown fields are ignored (RFC 8555, section 7).

/** The message names the invalid field. */
export class MalformedResponse extends Error {}

export type Fields = Readonly<Record<string, unknown>>

const maxText = 4096
const maxEntries = 100

/** The body as a JSON object. */
export function readFields(body: Buffer): Fields {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new MalformedResponse('the response is not JSON')
  }
  return asFields(value, 'the response')
}

export function asFields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedResponse(`${name} is not an object`)
  }
  return value as Fields
}

/** A non-empty string. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '' || value.length > maxText) {
    throw new MalformedResponse(`${name} is not a string`)
  }
  return value
}

export function readOptionalText(fields: Fields, name: string): string | undefined {
  // Some authorities send null or an empty string for a missing field.
  const value = fields[name]
  return value === undefined || value === null || value === '' ? undefined : readText(fields, name)
}

export function readEnum<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === fields[name])
  if (word === undefined) throw new MalformedResponse(`${name} is not one of ${words.join(', ')}`)
  return word
}

/** An https URL. */
export function asUrl(value: unknown, name: string): string {
  const url = typeof value === 'string' && value.length <= maxText ? URL.parse(value) : null
  if (url?.protocol !== 'https:') throw new MalformedResponse(`${name} is not an https URL`)
  return url.href
}

export function readUrl(fields: Fields, name: string): string {
  return asUrl(fields[name], name)
}

export function readOptionalUrl(fields: Fields, name: string): string | undefined {
  return readOptionalText(fields, name) === undefined ? undefined : readUrl(fields, name)
}

/** A list; a missing one is empty. */
export function readList(fields: Fields, name: string): unknown[] {
  const value = fields[name] ?? []
  if (!Array.isArray(value) || value.length > maxEntries) {
    throw new MalformedResponse(`${name} is not a list of at most ${maxEntries}`)
  }
  return value
}

/** A timestamp (RFC 3339) in milliseconds since the epoch. */
export function readTimestamp(fields: Fields, name: string): number {
  const text = readText(fields, name)
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new MalformedResponse(`${name} is not a date and time`)
  return ms
}

export function readOptionalTimestamp(fields: Fields, name: string): number | undefined {
  return readOptionalText(fields, name) === undefined ? undefined : readTimestamp(fields, name)
}
