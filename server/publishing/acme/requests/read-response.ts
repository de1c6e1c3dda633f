// Reads what an authority sends as JSON: every member that is used is looked at, and what is not as the RFC has
// it is a MalformedAnswer that names it. Members that are not known are passed over (RFC 8555, section 7).

/** The message says which member is wrong. */
export class MalformedResponse extends Error {}

export type Fields = Readonly<Record<string, unknown>>

const maxText = 4096
const maxEntries = 100

/** The object that a body is. */
export function readFields(body: Buffer): Fields {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new MalformedResponse('the answer is no JSON')
  }
  return asFields(value, 'the answer')
}

export function asFields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedResponse(`${name} is no object`)
  }
  return value as Fields
}

/** A text that is not empty. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '' || value.length > maxText) {
    throw new MalformedResponse(`${name} is no text`)
  }
  return value
}

export function readOptionalText(fields: Fields, name: string): string | undefined {
  // Some authorities send null, or an empty text, for what is not there.
  const value = fields[name]
  return value === undefined || value === null || value === '' ? undefined : readText(fields, name)
}

export function readEnum<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === fields[name])
  if (word === undefined) throw new MalformedResponse(`${name} is none of ${words.join(', ')}`)
  return word
}

/** An https address. */
export function asUrl(value: unknown, name: string): string {
  const url = typeof value === 'string' && value.length <= maxText ? URL.parse(value) : null
  if (url?.protocol !== 'https:') throw new MalformedResponse(`${name} is no https address`)
  return url.href
}

export function readUrl(fields: Fields, name: string): string {
  return asUrl(fields[name], name)
}

export function readOptionalUrl(fields: Fields, name: string): string | undefined {
  return readOptionalText(fields, name) === undefined ? undefined : readUrl(fields, name)
}

/** A list; one that is not there is empty. */
export function readList(fields: Fields, name: string): unknown[] {
  const value = fields[name] ?? []
  if (!Array.isArray(value) || value.length > maxEntries) {
    throw new MalformedResponse(`${name} is no list of at most ${maxEntries}`)
  }
  return value
}

/** A moment (RFC 3339) in milliseconds since the epoch. */
export function readTimestamp(fields: Fields, name: string): number {
  const text = readText(fields, name)
  const form = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new MalformedResponse(`${name} is no date and time`)
  return ms
}

export function readOptionalTimestamp(fields: Fields, name: string): number | undefined {
  return readOptionalText(fields, name) === undefined ? undefined : readTimestamp(fields, name)
}
