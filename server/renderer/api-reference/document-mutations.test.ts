import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { dump, load } from 'js-yaml'
import { expect, test } from 'vitest'
import { cases, runs } from '../../../test/cases.ts'
import { icon } from '../markdown/html.ts'
import { DeployFailure } from '../site-files/site-file.ts'
import {
  renderDocument,
  renderFiles,
  renderText,
  richDocument,
  swaggerText,
} from './document-in-test.ts'

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
/** The same parts in another file, which refer to one another and back. */
const otherFile = dump({
  parts: richDocument.components,
  back: { $ref: 'openapi.yaml#/paths' },
})
const refs = Object.entries<object>(richDocument.components).flatMap(([kind, items]) =>
  Object.keys(items).map((name) => ({ $ref: `#/components/${kind}/${name}` })),
)
const outerRefs = refs.map(({ $ref }) => ({ $ref: $ref.replace('#/components', 'x.yaml#/parts') }))
const otherRefs = [
  '#',
  '#/paths',
  'x.yaml',
  'x.yaml#/back',
  'x.yaml#/parts/schemas',
  '../x',
  'y.yaml',
]

/** Anything, another part of the document, or a reference to one. */
const replacementsIn = (document: unknown, places: Path[]) =>
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(...places).map((path) => valueAt(document, path)),
    fc.constantFrom<unknown>(...refs, ...outerRefs, ...otherRefs.map(($ref) => ({ $ref }))),
  )

function check(render: () => { pages: { html: string }[] }): void {
  try {
    const size = render().pages.reduce((sum, { html }) => sum + html.length, 0)
    expect(size).toBeLessThan(20_000_000)
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error
    expect(error.file).toMatch(/^(openapi|x)\.yaml$/)
  }
}

test.each([
  ['OpenAPI 3.1', richDocument],
  ['Swagger 2.0', load(swaggerText)],
])('a document with parts changed is rendered or refused, and never for long: %s', (_, whole) => {
  const places = pathsOf(whole)
  const change = fc.tuple(fc.constantFrom(...places), replacementsIn(whole, places))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (list) => {
      let document: unknown = whole
      for (const [path, next] of list) {
        try {
          document = replaceAt(document, path, next)
        } catch {
          // An earlier change took the place away.
        }
      }
      const text = dump(document, { noRefs: true })
      check(() => renderFiles({ 'openapi.yaml': text, 'x.yaml': otherFile }))
    }),
    { numRuns: runs(200), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
})

test('a text with characters changed is rendered or refused', () => {
  const text = dump(richDocument)
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

const allowed = new Set(
  'a br code dd details div dl dt em fieldset figcaption figure h2 h3 h4 h5 h6 hr img input label legend li ol p pre span strong summary table tbody td th thead tr ul wbr'.split(
    ' ',
  ),
)
const attributes = new Set(
  'alt aria-label checked class data-language decoding href id loading name open role scope src tabindex type value'.split(
    ' ',
  ),
)

/** What in the HTML is not what the reference itself writes. */
function strangers(html: string): string[] {
  const found: string[] = []
  const icons = (['note', 'warning', 'caution'] as const).map((name) => icon(name).text)
  const parser = new Parser({
    onopentag(name, given) {
      if (!allowed.has(name)) found.push(`<${name}>`)
      for (const [key, value] of Object.entries(given)) {
        if (!attributes.has(key)) found.push(`${name}[${key}]`)
        const isAddress = key === 'href' || key === 'src'
        if (isAddress && /^[^/#]*:/.test(value) && !/^https?:\/\//.test(value)) {
          found.push(`${key} ${value}`)
        }
      }
    },
    oncomment: (text) => found.push(`<!--${text}`),
  })
  parser.end(icons.reduce((text, part) => text.replaceAll(part, ''), html))
  return found
}

const payloads = [
  `{"'><x-evil onclick=alert(1)></code></pre></div></li></details><script>alert(1)</script><svg/onload=x><!--}`,
  `javascript:alert(1)//"onmouseover="alert(1)`,
  `[a](javascript:alert(1)) ![b](data:text/html,x) <img src=x onerror=alert(1)>`,
]

/** The document with each text, and then each name of the author's, changed to this on its own. */
function* changedTo(payload: string): Generator<unknown> {
  for (const path of paths.slice(1)) {
    if (path.includes('$ref') || path.includes('openapi')) continue
    const value = valueAt(richDocument, path)
    if (typeof value === 'string') yield replaceAt(richDocument, path, payload)
    const [key, parent] = [path.at(-1), path.slice(0, -1)]
    if (typeof key !== 'string') continue
    const { [key]: _, ...others } = valueAt(richDocument, parent) as Record<string, unknown>
    yield replaceAt(richDocument, parent, { ...others, [payload]: value })
  }
}

// Rendering takes its time: each place is tried with one of the payloads, and over the places they take turns.
test.each(cases(payloads, (_, i) => i % 5 === 0))(
  'no text of the document becomes markup: %s',
  (payload) => {
    let count = 0
    for (const document of changedTo(payload)) {
      count += 1
      if (count % payloads.length !== payloads.indexOf(payload)) continue
      let pages: ReturnType<typeof renderDocument>['pages'] = []
      try {
        pages = renderDocument(document).pages
      } catch (error) {
        // Without the name a reference leads to nothing.
        expect(String(error)).toMatch(/DeployFailure/)
      }
      for (const page of pages) expect(strangers(page.html), page.path).toEqual([])
    }
    expect(count).toBeGreaterThan(300)
  },
  120_000,
)

test('the search for strangers finds some', () => {
  expect(strangers(`<p onclick=x><svg></svg><a href="javascript:x">`)).toEqual([
    'p[onclick]',
    '<svg>',
    'href javascript:x',
  ])
})
