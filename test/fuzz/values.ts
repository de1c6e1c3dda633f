// Values for a schema, as JSON and as text of a query parameter: mostly those that it allows, often at its bounds, and now
// and then one that it forbids.
import type { Random } from '../random.ts'
import type { ApiDocument, Schema } from './api-document.ts'

export interface Value {
  text: string
  isValid: boolean
}

const valid = (text: string): Value => ({ text, isValid: true })
const invalid = (text: string): Value => ({ text, isValid: false })
const wrongShare = 0.05
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/** A JSON text. For members in `known`, an object uses those texts. */
export function jsonFor(
  document: ApiDocument,
  given: Schema,
  random: Random,
  known: Record<string, string> = {},
): Value {
  const schema = document.resolve(given)
  const isWrong = random.chance(wrongShare)
  if (schema.anyOf) {
    const value = jsonFor(document, random.pick(schema.anyOf), random)
    return value.text === 'null' ? valid('null') : value
  }
  if (isWrong && random.chance(0.3)) {
    const others = ['true', '[]', '[1]', ...(schema.type === 'integer' ? ['"1"'] : ['1'])]
    return invalid(random.pick(others))
  }
  switch (schema.enum ? 'enum' : schema.type) {
    case 'enum': {
      const word = isWrong ? random.pick(['', 'Sold', 'sold ']) : random.pick(schema.enum ?? [])
      return { text: JSON.stringify(word), isValid: !isWrong }
    }
    case 'integer':
      return isWrong ? invalid(wrongInteger(schema, random)) : valid(integer(schema, random, true))
    case 'string':
      return string(schema, random)
    case 'null':
      return valid('null')
    case 'object':
      return object(document, schema, random, known)
    default:
      throw new Error(`the fuzzer does not support ${schema.type}`)
  }
}

/** The text of a query parameter, not yet encoded. Without a type of its own, it is a cursor that nobody gave. */
export function textFor(document: ApiDocument, given: Schema, random: Random): Value {
  const schema = document.resolve(given)
  const isWrong = random.chance(wrongShare)
  if (schema.enum) {
    return isWrong
      ? invalid(random.pick(['', 'SOLD', ' sold', 'sold,pending']))
      : valid(String(random.pick(schema.enum)))
  }
  if (schema.type === 'integer') {
    if (!isWrong) return valid(integer(schema, random, false))
    const forms = ['', ' ', '+5', '05', '1.0', '1e1', '0x10', '--1', 'one', '٣', 'NaN']
    return invalid(random.pick([...forms, ...beyond(schema)]))
  }
  if (schema.type !== 'array') return invalid(random.pick(['', 'x', 'YWsx', 'x'.repeat(300)]))
  const { items = {}, maxItems = 100 } = schema
  if (isWrong)
    return invalid(random.pick(['', ',', Array.from({ length: maxItems + 1 }, (_, n) => n).join()]))
  const list = Array.from({ length: 1 + random.below(4) }, () => textFor(document, items, random))
  return {
    text: list.map(({ text }) => text).join(),
    isValid: list.every(({ isValid }) => isValid),
  }
}

function boundsOf({ maximum, minimum }: Schema): { min: bigint; max: bigint } {
  return {
    min: minimum === undefined ? int64.min : BigInt(minimum),
    max: maximum === undefined ? int64.max : BigInt(maximum),
  }
}

function beyond(schema: Schema): string[] {
  const { max, min } = boundsOf(schema)
  return [max + 1n, min - 1n, 10n ** 30n].map(String)
}

/** In JSON, 5.0 and 5E0 are the integer 5, too. */
function integer(schema: Schema, random: Random, isJson: boolean): string {
  const { max, min } = boundsOf(schema)
  const edges = [min, min + 1n, max - 1n, max, 0n, 2n ** 53n + 1n, BigInt(random.below(60))]
  const n = random.pick(edges.filter((edge) => edge >= min && edge <= max))
  return isJson && random.chance(0.2) ? `${n}${random.pick(['.0', 'E0', '.000e+0'])}` : `${n}`
}

function wrongInteger(schema: Schema, random: Random): string {
  return random.pick([...beyond(schema), '1.5', '0.1', '1e400', '1e-1', '922337203685477580.75e1'])
}

function string({ maxLength = 300, minLength = 0, pattern = '' }: Schema, random: Random): Value {
  const rightful = ['Rex', '\u00a0x\u00a0', '"\\', '\u{10ffff}', '__proto__', '𝓍'.repeat(maxLength)]
  const wrong = ['', ' ', '\u3000 \u2028', '𝓍'.repeat(maxLength + 1), 'a\nb', '\u0085', '\u007f']
  const text = random.pick(random.chance(wrongShare) ? wrong : rightful)
  const length = [...text].length
  const isValid = length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(text)
  if (random.chance(0.8)) return { text: JSON.stringify(text), isValid }
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  const escaped = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  return { text: `"${escaped}"`, isValid }
}

/** Unknown members are allowed, unless one looks like a misspelled one. */
function object(
  document: ApiDocument,
  { properties = {}, required = [] }: Schema,
  random: Random,
  known: Record<string, string>,
): Value {
  let isValid = true
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    const isRequired = required.includes(name)
    if (random.chance(isRequired ? 0.02 : 0.4)) {
      if (isRequired) isValid = false
      return []
    }
    const isMisspelled = random.chance(0.01)
    const value = known[name] === undefined ? jsonFor(document, schema, random) : valid(known[name])
    isValid &&= value.isValid && !isMisspelled
    return [`"${isMisspelled ? name.toUpperCase() : name}":${value.text}`]
  })
  if (random.chance(0.2))
    members.push(random.pick(['"colour":[{}]', '"__proto__":1', '"toString":""']))
  const space = random.pick(['', ' ', '\r\n\t'])
  return { text: `${space}{${space}${members.join(`${space},`)}${space}}${space}`, isValid }
}
