// Paths and queries, both those that the document allows and those that it forbids.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Operation, Parameter } from './api-document.ts'
import { type Choice, choicesOf, statesOf } from './choices.ts'
import type { Kind } from './model.ts'
import { fault, type Part, weighted } from './part.ts'
import type { EnvironmentName } from './request.ts'
import { invalidText, validText } from './values.ts'

/** Paths of pages, taken from Link headers, by list operation. */
export type Pages = Record<EnvironmentName, Record<string, string[]>>

export interface TargetPart extends Part {
  /** With the name of a parameter in place of the id that `choice` selects. */
  target: string
  choice?: Choice
  /** The response must list exactly these animals, or their orders. */
  listed?: Choice[]
}

/** The kind of record whose id is in the path; undefined if there is none. */
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
  const generated = fc.tuple(ids, query).map(
    ([choice, found]): TargetPart => ({
      ...found,
      target: found.target === '' ? path : `${path}?${found.target}`,
      ...(choice && { choice }),
    }),
  )
  const known = pages[environment][id]
  if (known === undefined) return generated
  const page = fc.constantFrom(...known).map((target): TargetPart => ({ target }))
  const knownLists = knownListParts(operation)
  return fc.oneof(
    weighted(generated, 9),
    weighted(page, 1),
    ...(knownLists ? [weighted(knownLists, 2)] : []),
  )
}

/** Filters that match only records that the lane created. */
function knownListParts({ id, path }: Operation): Arbitrary<TargetPart> | undefined {
  const choice = choicesOf(statesOf.pets)
  if (id === 'listPets') {
    const some = fc.array(choice, { minLength: 1, maxLength: 4 })
    return some.map((listed) => ({ target: `${path}?id={listed}`, listed }))
  }
  if (id !== 'listOrders') return undefined
  return choice.map((one) => ({ target: `${path}?petId={listed}`, listed: [one] }))
}

/** An existing record, a deleted one, or a text that is not the id of a record. */
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
    weighted(choicesOf(statesOf[kind]), 6),
    weighted(
      words.map((literal) => ({ literal })),
      1,
    ),
  )
}

function queryPart(document: ApiDocument, operation: Operation): Arbitrary<TargetPart> {
  const parameters = operation.parameters.filter((one) => one.in === 'query')
  const parts = parameters.map((parameter) => oneParameter(document, parameter))
  // Of the parameters that are not in the document, the server ignores those of other programs.
  const unknown = fc
    .tuple(fc.constantFrom('x', 'Limit', 'limit[]', 'offset', '__proto__', 'utm_x'), fc.string())
    .map(([name, value]): TargetPart => {
      const faults = /^(utm)?_/.test(name) ? [] : [fault(400, 'invalid_parameter')]
      return { target: `${name}=${encodeURIComponent(value)}`, faults }
    })
  const nothing = fc.constant<TargetPart>({ target: '' })
  const extra = fc.oneof(weighted(nothing, 16), weighted(unknown, 1))
  return fc.tuple(...parts, extra).map((found) => ({
    target: found
      .map(({ target }) => target)
      .filter((text) => text !== '')
      .join('&'),
    faults: found.flatMap(({ faults = [] }) => faults),
  }))
}

function oneParameter(document: ApiDocument, { name, schema }: Parameter): Arbitrary<TargetPart> {
  const isText = document.resolve(schema).type === 'string' && !document.resolve(schema).enum
  const faults = [fault(400, isText ? 'invalid_cursor' : 'invalid_parameter', 'invalid_parameter')]
  const nothing = fc.constant<TargetPart>({ target: '' })
  const wrong = invalidText(document, schema)
  const malformed = fc.constantFrom('%', '%z', '%ff', '%c3%28').map((value) => `${name}=${value}`)
  const format = (value: string, encodesAll: boolean): string =>
    `${name}=${encode(value, encodesAll)}`
  const bad = fc.oneof(
    weighted(
      fc.tuple(wrong, fc.boolean()).map((found) => format(...found)),
      4,
    ),
    weighted(malformed, 1),
    weighted(fc.constant(name), 1),
  )
  const choices = [
    weighted(nothing, 6),
    weighted(
      bad.map((target) => ({ target, faults })),
      1,
    ),
  ]
  if (isText) return fc.oneof(...choices)
  const good = fc.tuple(validText(document, schema), fc.boolean())
  const fitting = good.map((found) => ({ target: format(...found) }))
  const twice = good.map(([value]) => ({
    target: `${name}=${value}&${name}=${value}`,
    faults: document.resolve(schema).type === 'array' ? [] : faults,
  }))
  return fc.oneof(...choices, weighted(fitting, 4), weighted(twice, 1))
}

/** Percent-encodes the necessary characters, or all of them. */
function encode(text: string, encodesAll: boolean): string {
  if (!encodesAll) return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',')
  return Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')
}
