// Paths and queries: what the document allows, and what it forbids.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation, Parameter } from './api-document.ts'
import { type Choice, choicesOf, statesOf } from './choices.ts'
import { fault, type Part, right } from './part.ts'
import type { EnvironmentName } from './request.ts'
import { rightText, wrongText } from './values.ts'
import type { Kind } from './world.ts'

/** Targets of pages, taken from Link fields, by the operation that lists them. */
export type Pages = Record<EnvironmentName, Record<string, string[]>>

export interface TargetPart extends Part {
  /** With the name of a parameter in the place of the id that `choice` gives. */
  target: string
  choice?: Choice
  /** The list has to be exactly what the lane knows of these animals, or of their orders. */
  listed?: Choice[]
}

/** What the id in a path is of; undefined where there is none. */
export function kindOf({ path }: Operation): Kind | undefined {
  const parameter = /\{(\w+)\}/.exec(path)?.[1]
  const kinds: Record<string, Kind> = { petId: 'pets', categoryId: 'categories', orderId: 'orders' }
  return parameter === undefined ? undefined : kinds[parameter]
}

export function targetPart(
  document: ApiDocument,
  operation: Operation,
  pages: Pages,
  environment: EnvironmentName,
): Arbitrary<TargetPart> {
  const { id, path } = operation
  const query = queryPart(document, operation)
  const kind = kindOf(operation)
  const ids = kind === undefined ? fc.constant(undefined) : idChoices(kind)
  const made = fc.tuple(ids, query).map(
    ([choice, found]): TargetPart => ({
      ...found,
      target: found.target === '' ? path : `${path}?${found.target}`,
      ...(choice && { choice }),
    }),
  )
  const known = pages[environment][id]
  if (known === undefined) return made
  const page = fc.constantFrom(...known).map((target): TargetPart => ({ target }))
  const own = ownLists(operation)
  return fc.oneof(right(made, 9), right(page, 1), ...(own ? [right(own, 2)] : []))
}

/** Filters that find what the lane has made, and nothing else. */
function ownLists({ id, path }: Operation): Arbitrary<TargetPart> | undefined {
  const choice = choicesOf(statesOf.pets)
  if (id === 'listPets') {
    const some = fc.array(choice, { minLength: 1, maxLength: 4 })
    return some.map((listed) => ({ target: `${path}?id={listed}`, listed }))
  }
  if (id !== 'listOrders') return undefined
  return choice.map((one) => ({ target: `${path}?petId={listed}`, listed: [one] }))
}

/** One that is there, one that was, or what names none. */
function idChoices(kind: Kind): Arbitrary<Choice> {
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
    right(choicesOf(statesOf[kind]), 6),
    right(
      words.map((word) => ({ word })),
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
