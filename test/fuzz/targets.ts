// Paths and queries: what the document allows, and what it forbids.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation, Parameter } from './api-document.ts'
import { fault, type Part, right } from './part.ts'
import type { EnvironmentName } from './request.ts'
import { rightText, wrongText } from './values.ts'

/** What the fuzzer knows of the animals that are there. */
export interface Stock {
  /** Ids that exist in both environments are 1 to this. */
  count: number
  /** Targets of pages, taken from Link fields. */
  pages: Record<EnvironmentName, string[]>
}

export interface TargetPart extends Part {
  target: string
}

export function targetPart(
  document: ApiDocument,
  operation: Operation,
  stock: Stock,
  environment: EnvironmentName,
): Arbitrary<TargetPart> {
  const query = queryPart(document, operation)
  const path: Arbitrary<TargetPart> = operation.path.includes('{')
    ? idPaths(stock)
    : fc.constant({ target: operation.path })
  const made = fc.tuple(path, query).map(
    ([{ target, faults = [] }, found]): TargetPart => ({
      target: found.target === '' ? target : `${target}?${found.target}`,
      faults: [...faults, ...(found.faults ?? [])],
    }),
  )
  if (operation.id !== 'listPets') return made
  return fc.oneof(
    right(made, 9),
    right(
      fc.constantFrom(...stock.pages[environment]).map((target) => ({ target })),
      1,
    ),
  )
}

/** `/pets/{petId}`: one that is there, or none that is. */
function idPaths({ count }: Stock): Arbitrary<TargetPart> {
  const absent = [fault(404, 'pet_not_found')]
  const there = fc.integer({ min: 1, max: count }).map((id) => ({ target: `/pets/${id}` }))
  const odd = [
    '0',
    '-1',
    '01',
    '+1',
    '1.0',
    '1e0',
    'x',
    '%20',
    '1%00',
    '%',
    '%zz',
    '%ff',
    '1;2',
    '..x',
    '9007199254740993',
  ]
  const words = fc.oneof(
    fc.constantFrom(...odd),
    fc.bigInt({ min: 2n ** 40n, max: 2n ** 70n }).map(String),
    fc
      .string({ minLength: 1 })
      .filter((text) => !/^\d+$|^\.\.?$/.test(text))
      .map(encodeURIComponent),
  )
  return fc.oneof(
    right(there, 4),
    right(
      words.map((word) => ({ target: `/pets/${word}`, faults: absent })),
      1,
    ),
  )
}

function queryPart(document: ApiDocument, operation: Operation): Arbitrary<TargetPart> {
  const parameters = operation.parameters.filter((one) => one.in === 'query')
  const parts = parameters.map((parameter) => oneParameter(document, parameter))
  // Names of its own that the document does not know: to be ignored.
  const unknown = fc
    .tuple(
      fc.constantFrom('x', 'Limit', 'limit[]', 'access_token', 'offset', '__proto__'),
      fc.string(),
    )
    .map(([name, value]): TargetPart => ({ target: `${name}=${encodeURIComponent(value)}` }))
  const nothing = fc.constant<TargetPart>({ target: '' })
  const more = fc.oneof(right(nothing, 8), right(unknown, 1))
  return fc.tuple(...parts, more).map((found) => ({
    target: found
      .map(({ target }) => target)
      .filter((text) => text !== '')
      .join('&'),
    faults: found.flatMap(({ faults = [] }) => faults),
  }))
}

function oneParameter(document: ApiDocument, { name, schema }: Parameter): Arbitrary<TargetPart> {
  const isText = document.resolve(schema).type === 'string' && !document.resolve(schema).enum
  const refused = [fault(400, isText ? 'invalid_cursor' : 'invalid_parameter', 'invalid_parameter')]
  const nothing = fc.constant<TargetPart>({ target: '' })
  const wrong = wrongText(document, schema)
  const malformed = fc.constantFrom('%', '%z', '%ff', '%c3%28').map((value) => `${name}=${value}`)
  const written = (value: string, isWhole: boolean): string => `${name}=${encode(value, isWhole)}`
  const bad = fc.oneof(
    right(
      fc.tuple(wrong, fc.boolean()).map((found) => written(...found)),
      4,
    ),
    right(malformed, 1),
    right(fc.constant(name), 1),
  )
  const choices = [
    right(nothing, 6),
    right(
      bad.map((target) => ({ target, faults: refused })),
      1,
    ),
  ]
  if (isText) return fc.oneof(...choices)
  const good = fc.tuple(rightText(document, schema), fc.boolean())
  const fitting = good.map((found) => ({ target: written(...found) }))
  const twice = good.map(([value]) => ({
    target: `${name}=${value}&${name}=${value}`,
    faults: refused,
  }))
  return fc.oneof(...choices, right(fitting, 4), right(twice, 1))
}

/** Percent-encoded where it must be, or all of it. */
function encode(text: string, isWhole: boolean): string {
  if (!isWhole) return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',')
  return Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')
}
