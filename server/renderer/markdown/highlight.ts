// Highlights code with class names only: the colours are in theme/prose.css, light and dark, so that no page needs
// a style attribute.
import { createRequire } from 'node:module'
import { createHighlighterCoreSync, type ThemedToken, type ThemeRegistrationRaw } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { bundledLanguagesInfo } from 'shiki/langs'
import { escapeHtml } from './html.ts'

/** Safe HTML: `<pre class="code" …><code>…</code></pre>`. `language` is a name as written after ```. */
export type Highlight = (code: string, language: string) => string

const maxCodeLength = 100_000
/** Time limit for one line in milliseconds, after which the rest of the line is not highlighted. */
const lineTimeLimit = 200
const limits = { tokenizeMaxLineLength: 2_000, tokenizeTimeLimit: lineTimeLimit }
const maxAttempts = 5
const cachedBytes = 16 * 1024 * 1024

const idByName = new Map([
  ...Object.entries({ curl: 'shellscript', env: 'dotenv', jsonl: 'json', ndjson: 'json' }),
  ...bundledLanguagesInfo.flatMap(({ id, aliases = [] }) =>
    [id, ...aliases].map((name): [string, string] => [name, id]),
  ),
])

const loadModule = createRequire(import.meta.url)

/** Creates a highlighter with its own cache. */
export function createHighlighter(): Highlight {
  const shiki = createHighlighterCoreSync({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    warnings: false,
  })
  const loaded = new Set<string>()
  const cache = new Map<string, string>()
  let bytes = 0

  function tokensOf(code: string, id: string): ThemedToken[][] {
    for (let attempt = 1; ; attempt++) {
      const begun = performance.now()
      const before = process.threadCpuUsage()
      const result = shiki.codeToTokensBase(code, { ...limits, lang: id, theme: 'classes' })
      const { system, user } = process.threadCpuUsage(before)
      const elapsedMs = performance.now() - begun
      const waitedMs = elapsedMs - (system + user) / 1000
      // What must not count towards the time limit: that grammars are compiled on first use, and the time of other
      // processes. Equal sources make equal files.
      const mayBeCut = attempt === 1 ? elapsedMs >= lineTimeLimit : waitedMs >= lineTimeLimit / 2
      if (!mayBeCut || attempt === maxAttempts) return result
    }
  }

  /** If a grammar fails, the code is not highlighted, but the page is rendered. */
  function coloured(code: string, id: string): string {
    try {
      if (!loaded.has(id)) shiki.loadLanguageSync(loadModule(`shiki/langs/${id}.mjs`).default)
      loaded.add(id)
      return tokensOf(code, id).map(lineHtml).join('\n')
    } catch {
      return escapeHtml(code)
    }
  }

  return (source, language) => {
    const code = source.replace(/\n+$/, '')
    const name = language.toLowerCase()
    const key = `${name}\n${code}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const id = code.length > maxCodeLength ? undefined : idByName.get(name)
    const text = `<pre class="code" tabindex="0"><code>${id === undefined ? escapeHtml(code) : coloured(code, id)}</code></pre>`
    bytes += text.length
    if (bytes <= cachedBytes) cache.set(key, text)
    return text
  }
}

function lineHtml(tokens: ThemedToken[]): string {
  let text = ''
  let open = plain
  for (const { content, color = plain } of tokens) {
    const name = content.trim() === '' ? open : color
    if (name !== open) {
      if (open !== plain) text += '</span>'
      if (name !== plain) text += `<span class="${name}">`
      open = name
    }
    text += escapeHtml(content)
  }
  return open === plain ? text : `${text}</span>`
}

/** Of code without a class. */
const plain = 'c-plain'
/** Of equally specific scopes the last one applies. */
const scopes: [className: string, scopes: string][] = [
  ['c-comment', 'comment, punctuation.definition.comment, string.comment'],
  ['c-keyword', 'keyword, storage, variable.language, punctuation.definition.keyword'],
  [plain, 'keyword.operator, storage.modifier.import, storage.type.java'],
  ['c-keyword', 'keyword.operator.new, keyword.operator.expression'],
  ['c-keyword', 'keyword.operator.logical.python'],
  ['c-string', 'string, punctuation.definition.string, markup.inline.raw'],
  ['c-string', 'markup.fenced_code.block'],
  ['c-constant', 'constant, support.constant, variable.other.constant, constant.character.escape'],
  [plain, 'string variable, meta.embedded, source.regexp, string.unquoted.argument'],
  ['c-function', 'entity.name.function, support.function, meta.function-call.generic'],
  ['c-type', 'entity.name, entity.other.inherited-class, support.type, support.class'],
  ['c-function', 'entity.name.function, entity.name.command'],
  ['c-tag', 'entity.name.tag, support.type.property-name, entity.name.tag.yaml'],
  ['c-attribute', 'entity.other.attribute-name, variable.other.assignment.shell'],
  ['c-variable', 'string variable, variable.other.normal.shell, variable.parameter.env'],
  ['c-heading', 'markup.heading, entity.name.section'],
  ['c-link', 'markup.underline.link, string.other.link, constant.other.reference.link'],
  ['c-inserted', 'markup.inserted, punctuation.definition.inserted'],
  ['c-deleted', 'markup.deleted, punctuation.definition.deleted, invalid'],
]

/** Its colours are names of classes: Shiki takes anything for which CSS may stand. */
const codeTheme: ThemeRegistrationRaw = {
  name: 'classes',
  type: 'light',
  settings: [
    { settings: { foreground: plain, background: '#ffffff' } },
    ...scopes.map(([foreground, scope]) => ({ scope, settings: { foreground } })),
  ],
}
