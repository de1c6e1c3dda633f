// Reads the keywords of a schema when it is compiled: an unknown keyword stops the program at its start, so that a limit
// written in a schema is never left unchecked.

/** The keywords of one schema. */
export type Keywords = Readonly<Record<string, unknown>>

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$id',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
])

/** The keywords of a schema; `where` names it in the error for what is no schema. */
export function keywordsOf(schema: unknown, where: string): Keywords {
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
    return schema as Keywords
  }
  throw schemaError(where, 'a schema is missing')
}

/** Throws for any keyword that is neither listed nor an annotation. */
export function assertKeywords(keywords: Keywords, known: readonly string[], where: string): void {
  for (const keyword of Object.keys(keywords)) {
    if (known.includes(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) continue
    throw schemaError(where, `the keyword "${keyword}" is not supported here`)
  }
}

/** A count such as maxLength, or undefined where the schema sets none. */
export function readCount(keywords: Keywords, keyword: string, where: string): number | undefined {
  const count = keywords[keyword]
  if (count === undefined) return undefined
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Number(count)
  throw schemaError(where, `${keyword} must be a whole number of at least 0`)
}

export function schemaError(where: string, sentence: string): TypeError {
  return new TypeError(`Schema ${where === '' ? '(whole)' : where}: ${sentence}.`)
}
