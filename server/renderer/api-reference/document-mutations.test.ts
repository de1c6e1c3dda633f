import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { runs } from '../../../test/cases.ts'
import { DeployFailure } from '../site-files/site-file.ts'
import { renderDocument, renderText, richDocument } from './document-in-test.ts'

type Path = (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  const children = Array.isArray(value)
    ? value.map((item, index): [number, unknown] => [index, item])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : []
  return [path, ...children.flatMap(([key, item]) => pathsOf(item, [...path, key]))]
}

function replaceAt(value: unknown, [key, ...rest]: Path, next: unknown): unknown {
  if (key === undefined) return next
  if (Array.isArray(value))
    return value.with(Number(key), replaceAt(value[Number(key)], rest, next))
  const fields = value as Record<string, unknown>
  return { ...fields, [key]: replaceAt(fields[key], rest, next) }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((item, key) => (item as Record<string | number, unknown>)[key], value)
}

const paths = pathsOf(richDocument)
const place = fc.constantFrom(...paths)
const refs = Object.entries<object>(richDocument.components).flatMap(([kind, items]) =>
  Object.keys(items).map((name) => ({ $ref: `#/components/${kind}/${name}` })),
)
/** Anything, another part of the document, or a reference to one. */
const replacement = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  place.map((path) => valueAt(richDocument, path)),
  fc.constantFrom<unknown>(...refs, { $ref: '#' }, { $ref: '#/paths' }, { $ref: 'x.yaml' }),
)

function check(render: () => { pages: { html: string }[] }): void {
  try {
    const size = render().pages.reduce((sum, { html }) => sum + html.length, 0)
    expect(size).toBeLessThan(20_000_000)
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error
    expect(error.file).toBe('openapi.yaml')
  }
}

test('a document with parts changed is rendered or refused, and never for long', () => {
  const changes = fc.array(fc.tuple(place, replacement), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(changes, (list) => {
      let document: unknown = richDocument
      for (const [path, next] of list) {
        try {
          document = replaceAt(document, path, next)
        } catch {
          // An earlier change took the place away.
        }
      }
      check(() => renderDocument(document))
    }),
    { numRuns: runs(200), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
})

test('a text with characters changed is rendered or refused', () => {
  const text = stringify(richDocument)
  const change = fc.tuple(
    fc.nat(text.length),
    fc.nat(12),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (list) => {
      const changed = list.reduce(
        (whole, [start, length, put]) => whole.slice(0, start) + put + whole.slice(start + length),
        text,
      )
      check(() => renderText(changed))
    }),
    { numRuns: runs(200), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
})
