// Values that come from outside, all of which may be missing or of another kind.
export type Fields = Record<string, unknown>

export const recordOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Undefined for everything but a text with words. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** A value inside others, by its names: `inside(config, 'theme', 'logo')`. */
export function inside(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((outer, name) => recordOf(outer)[name], value)
}
