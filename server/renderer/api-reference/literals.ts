// Text and JSON as literals of JavaScript and Python. A string of JSON is a string literal in both.

/** A string literal. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text.toWellFormed())
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
