import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { contrastOf } from '../sources/colour.ts'
import { createHighlighter } from './highlight.ts'

const highlight = createHighlighter()

test('tokens get classes, never styles', () => {
  expect(highlight('{ "id": 1, "ok": true }\n', 'json')).toBe(
    '<pre class="code" tabindex="0"><code>{ <span class="c-tag">&quot;id&quot;</span>: <span class="c-constant">1</span>, <span class="c-tag">&quot;ok&quot;</span>: <span class="c-constant">true</span> }</code></pre>',
  )
})

test.each(['', 'nonsense', 'no/such', '../highlight', '__proto__', 'constructor'])(
  'code of the language "%s" stays plain',
  (language) => {
    expect(highlight('<b> & "c"', language)).toBe(
      '<pre class="code" tabindex="0"><code>&lt;b&gt; &amp; &quot;c&quot;</code></pre>',
    )
  },
)

test.each([
  ...'sh bash ts js python yaml http html sql go rust java C# diff docker ndjson php ruby'.split(
    ' ',
  ),
])('the words of %s come out as they went in, escaped', (language) => {
  const code = 'if (a < b && c > "d") { return `<script>alert(1)</script>` } # \'x\'\n\n\tGET /pets'
  const html = highlight(code, language)
  const text = html.replaceAll(/<[^>]*>/g, '')
  const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }
  expect(text.replaceAll(/&([^;]*);/g, (_, name) => entities[name] ?? '?')).toBe(code)
  expect(html).not.toMatch(/style|<script/)
})

test('code that is too long stays plain, and quickly', () => {
  const html = highlight('let x = 1\n'.repeat(20_000), 'js')
  expect(html).not.toContain('<span')
})

describe('each colour has a contrast of at least 4.5 in both themes', () => {
  const file = join(import.meta.dirname, '../site/theme/site.css')
  const variables = readFileSync(file, 'utf8').matchAll(
    /--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g,
  )
  const colors = new Map(
    [...variables].map(([, name = '', light = '', dark = '']) => [name, [light, dark]]),
  )
  const inks =
    'ink ink-strong ink-soft accent accent-strong note tip important warning caution keyword type'

  test.each(inks.split(' '))('%s', (ink) => {
    for (const ground of ['paper', 'raised', 'surface', 'accent-soft']) {
      for (const theme of [0, 1]) {
        const measured = contrastOf(
          colors.get(ink)?.[theme] ?? '',
          colors.get(ground)?.[theme] ?? '',
        )
        expect(measured, `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      }
    }
  })
})

test('is the same when other processes take the processor in the middle of a line', () => {
  const code = 'const name = "Rex" // a dog\n'.repeat(3)
  const undisturbed = createHighlighter()(code, 'js')
  let [stalls, waitedMs] = [9, 0]
  const [date, now] = [Date.now, performance.now.bind(performance)]
  const clocks = [
    vi.spyOn(Date, 'now').mockImplementation(() => {
      if (stalls-- > 0) waitedMs += 1000
      return date() + waitedMs
    }),
    vi.spyOn(performance, 'now').mockImplementation(() => now() + waitedMs),
  ]
  onTestFinished(() => {
    for (const clock of clocks) clock.mockRestore()
  })
  expect(createHighlighter()(code, 'js')).toBe(undisturbed)
  expect(stalls).toBeLessThan(0)
})
