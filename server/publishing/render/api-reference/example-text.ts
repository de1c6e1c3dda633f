// How an example is written, by its media type.
import { jsonText } from './json-text.ts'

export function isJson(type: string): boolean {
  return /[/+]json\b/i.test(type) && !/ndjson|json-seq/i.test(type)
}

/** A text that is not JSON is written as it is; so is JSON that stands in the document as text. */
export function exampleText(value: unknown, type: string): string {
  if (typeof value !== 'string') return jsonText(value)
  return isJson(type) && !/^\s*[[{]/.test(value) ? jsonText(value) : value
}

/** The language to highlight it in. */
export function exampleLanguage(type: string): string {
  if (/json/i.test(type)) return 'json'
  const known = ['xml', 'csv', 'html', 'yaml', 'graphql', 'javascript', 'css']
  return known.find((name) => type.toLowerCase().includes(name)) ?? 'text'
}
