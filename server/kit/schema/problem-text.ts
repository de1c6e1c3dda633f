// The words of validation messages. Every number in them comes from the schema or from the value.

const maxShownLength = 40

/** How a message names the value at a path. */
export function nameOf(path: string): string {
  return path === '' ? 'The body' : path
}

/** `, not 1.5` or `, not a string`; '' where the value itself would say nothing. */
export function describeOther(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return ''
  return `, not ${nounOf(value)}`
}

/** As describeOther, with a number shown itself where it is short. */
export function describeOtherNumber(value: unknown): string {
  if (typeof value !== 'bigint' && !Number.isFinite(value)) return describeOther(value)
  const shown = String(value)
  return shown.length <= maxShownLength ? `, not ${shown}` : ''
}

/** `1 to 255 characters`, `at least 1 entry`, `exactly 2 entries`, `any number of entries`. */
export function phraseCount(
  minimum: number | undefined,
  maximum: number | undefined,
  one: string,
  many: string,
): string {
  if (minimum === undefined || minimum === 0) {
    return maximum === undefined ? `any number of ${many}` : `at most ${plural(maximum, one, many)}`
  }
  if (maximum === undefined) return `at least ${plural(minimum, one, many)}`
  const unit = plural(maximum, one, many)
  return minimum === maximum ? `exactly ${unit}` : `${minimum} to ${unit}`
}

/** `an integer from 1 to 100`, `an integer of at least 1`, `an integer`. */
export function phraseInteger(
  minimum: number | bigint | undefined,
  maximum: number | bigint | undefined,
): string {
  if (minimum !== undefined && maximum !== undefined)
    return `an integer from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `an integer of at least ${minimum}`
  return maximum === undefined ? 'an integer' : `an integer of at most ${maximum}`
}

function nounOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  switch (typeof value) {
    case 'bigint':
    case 'number':
      return 'a number'
    case 'boolean':
      return 'a boolean'
    case 'string':
      return 'a string'
    default:
      return 'an object'
  }
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
