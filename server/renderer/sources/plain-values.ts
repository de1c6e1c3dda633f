// Values that come from outside, all of which may be missing or of another kind.
export type Fields = Record<string, unknown>

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {})

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The fields of a value that has no others than these. */
export const onlyFields = (value: unknown, ...names: string[]): Fields | undefined =>
  isRecord(value) && Object.keys(value).every((name) => names.includes(name)) ? value : undefined

/** Undefined for everything but a text with words. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** The first text in these fields. */
export const firstText = (value: unknown, ...names: string[]): string | undefined =>
  names.map((name) => textOf(inside(value, name))).find((text) => text !== undefined)

/** The fields with texts. */
export const textsIn = (value: unknown): [string, string][] =>
  Object.entries(recordOf(value)).flatMap(([name, each]) => {
    const text = textOf(each)
    return text === undefined ? [] : [[name, text]]
  })

/** What it returns; `otherwise` if it throws. */
export function attempt<Value, Other = undefined>(read: () => Value, otherwise?: Other) {
  try {
    return read()
  } catch {
    return otherwise as Other
  }
}

/** A value inside others, by its names: `inside(config, 'theme', 'logo')`. */
export function inside(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((outer, name) => recordOf(outer)[name], value)
}
