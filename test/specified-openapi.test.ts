// The extensions do not change the specification: everything in its committed copy is in the document.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { expect, it } from 'vitest'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const read = (path: string): Json =>
  load(readFileSync(join(import.meta.dirname, path), 'utf8')) as Json
const specified = read('specified-openapi.yaml')
const document = read('../openapi.yaml')

it('contains the whole specification', () => {
  expect([...differences(specified, document, '')]).toEqual([])
})

it('adds nothing to the fields of the specified records', () => {
  for (const name of ['NewPet', 'Pet', 'PetStatus', 'Pets']) {
    const fields = (from: Json): Json[] => {
      const { properties = {} } = at(from, ['components', 'schemas', name]) as {
        properties?: object
      }
      return Object.keys(properties).sort()
    }
    expect(fields(document)).toEqual(fields(specified))
  }
})

it('marks all operations as unstable except the specified ones', () => {
  const operations = Object.entries(at(document, ['paths']) as Record<string, object>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, said]) => ({ path, method, said })),
  )
  expect(operations.length).toBeGreaterThan(3)
  for (const { path, method, said } of operations) {
    const isSpecified = at(specified, ['paths', path, method]) !== undefined
    const expected = isSpecified ? undefined : expect.stringMatching(/^(beta|experimental)$/)
    expect((said as { 'x-stability'?: string })['x-stability'], `${method} ${path}`).toEqual(
      expected,
    )
  }
})

function at(from: Json, path: string[]): Json | undefined {
  let found: Json | undefined = from
  for (const name of path) found = (found as Record<string, Json> | undefined)?.[name]
  return found
}

/** Where `wanted` has something that `found` does not. A description may be longer. */
function* differences(wanted: Json, found: Json | undefined, path: string): Generator<string> {
  const reference = (found as { $ref?: string } | undefined)?.$ref
  if (reference && (wanted as { $ref?: string }).$ref !== reference) {
    yield* differences(wanted, at(document, reference.slice(2).split('/')), path)
  } else if (Array.isArray(wanted)) {
    const list = Array.isArray(found) ? found : []
    const isNamed = wanted.some((item) => (item as { name?: string })?.name !== undefined)
    if (!isNamed && wanted.length !== list.length) yield `${path}: has ${JSON.stringify(found)}`
    for (const [i, item] of wanted.entries()) {
      const { name } = item as { name?: string }
      const match = isNamed
        ? list.find((other) => (other as { name?: string }).name === name)
        : list[i]
      yield* differences(item, match, `${path}/${name ?? i}`)
    }
  } else if (typeof wanted === 'object' && wanted !== null) {
    for (const [name, value] of Object.entries(wanted)) {
      yield* differences(value, at(found ?? null, [name]), `${path}/${name}`)
    }
  } else if (path.endsWith('/description') && typeof wanted === 'string') {
    if (!String(found).startsWith(wanted)) yield `${path}: is ${JSON.stringify(found)}`
  } else if (path.endsWith('/required') && wanted === false) {
    if (found === true) yield `${path}: is required`
  } else if (wanted !== found) {
    yield `${path}: is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`
  }
}
