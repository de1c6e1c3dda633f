import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import { cases } from '../../../test/cases.ts'
import { icon } from '../markdown/html.ts'
import { renderDocument, richDocument } from './document-in-test.ts'

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

type Change = (value: unknown) => unknown

/** The document with each text, and then each name of the author's, changed on its own. */
function* changed(
  value: unknown,
  change: Change,
  rebuild: Change = (item) => item,
): Generator<unknown> {
  if (typeof value === 'string') yield rebuild(change(value))
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* changed(item, change, (next) => rebuild(value.with(index, next)))
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '$ref' || key === 'openapi') continue
      yield* changed(item, change, (next) => rebuild({ ...value, [key]: next }))
      const { [key]: _, ...others } = value as Record<string, unknown>
      yield rebuild({ ...others, [String(change(key))]: item })
    }
  }
}

// Rendering takes its time: each place is tried with one of the payloads, and over the places they take turns.
test.each(cases(payloads, (_, i) => i % 5 === 0))(
  'no text of the document becomes markup: %s',
  (payload) => {
    let count = 0
    for (const document of changed(richDocument, () => payload)) {
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
