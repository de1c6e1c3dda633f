// Text, JSON and the address and headers of a request as literals of JavaScript and Python. A string of JSON is a string
// literal in both.
import type { ExampleField, ExampleRequest } from './example-request.ts'

/** A string literal. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

/** The words of a language. */
interface Language {
  /** The value of an environment variable. */
  variable(name: string): string
  /** A value, encoded for a query. */
  encoded(value: string): string
}

/** With credentials; headers are the lines of an object. With a user, `credentials` is a variable of the sample. */
export function requestLiterals(
  { address, cookies, hasUser, headers, keys }: ExampleRequest,
  { encoded, variable: read }: Language,
  contentType: string | undefined,
) {
  const literal = ({ text, variable }: Omit<ExampleField, 'name'>): string => {
    const parts = [text !== '' && stringLiteral(text), variable && read(variable)]
    return parts.filter((part) => typeof part === 'string').join(' + ') || '""'
  }
  const cookie = cookies.map(({ name, text, variable }, index) =>
    literal({ text: `${index > 0 ? '; ' : ''}${name}=${text}`, variable }),
  )
  const lines = [
    ...(hasUser ? [['Authorization', '"Basic " + credentials']] : []),
    ...headers.map((field) => [field.name, literal(field)]),
    ...(cookies.length > 0 ? [['Cookie', cookie.join(' + ')]] : []),
    ...(contentType === undefined ? [] : [['Content-Type', stringLiteral(contentType)]]),
  ]
  const query = keys.flatMap(({ name, variable }, index) => {
    const sign = index > 0 || address.includes('?') ? '&' : '?'
    return [stringLiteral(`${sign}${name}=`), encoded(read(variable))]
  })
  return {
    address: [stringLiteral(address), ...query].join(' + '),
    headers: lines.map(([name = '', value]) => `${stringLiteral(name)}: ${value},`).join('\n'),
  }
}

/**
 * JSON indented by two, if JavaScript reads and writes it without a change. Otherwise undefined: it is no JSON, or has
 * integers above 2^53, a number written unusually, or a `__proto__`, which would not be a property.
 */
export function exactJson(text: string): string | undefined {
  if (text.includes('"__proto__"')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const isExact = JSON.stringify(value) === text || JSON.stringify(value, null, 2) === text
    return isExact ? JSON.stringify(value, null, 2) : undefined
  } catch {
    return undefined
  }
}

const pythonWords: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

/** A Python literal for `json`, which exactJson returned, indented by four. */
export function pythonLiteral(json: string): string {
  const wide = json.replaceAll(/^ +/gm, (margin) => margin + margin)
  return wide.replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => pythonWords[token] ?? token,
  )
}

/** With all lines but the first indented by `margin`. */
export function indented(code: string, margin: string): string {
  return code.replaceAll('\n', `\n${margin}`)
}
