// Turns code into HTML with a class for each kind of token. Grammars are loaded when a language is first
// used; equal blocks are worked out once. Code of an unknown language, or too long, stays plain.
import { createRequire } from 'node:module'
import { createHighlighterCoreSync } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { bundledLanguagesInfo } from 'shiki/langs'
import { codeClass, codeTheme } from './code-theme.ts'
import { escapeHtml } from './html.ts'

/** Safe HTML: `<pre class="code" …><code>…</code></pre>`. `language` is a name as written after ```. */
export type Highlight = (code: string, language: string) => string

const longestCode = 100_000
const longestLine = 2_000
/** Milliseconds for one line, after which the rest of it stays plain. */
const lineTimeLimit = 200
const cachedBytes = 16 * 1024 * 1024

const idByName = new Map(
  bundledLanguagesInfo.flatMap(({ id, aliases = [] }) =>
    [id, ...aliases].map((name) => [name, id]),
  ),
)
const ownNames: [name: string, id: string][] = [
  ['curl', 'shellscript'],
  ['env', 'dotenv'],
  ['jsonl', 'json'],
  ['ndjson', 'json'],
]
for (const [name, id] of ownNames) if (!idByName.has(name)) idByName.set(name, id)

const loadModule = createRequire(import.meta.url)

/** Makes a highlighter with a cache of its own. */
export function createHighlighter(): Highlight {
  const shiki = createHighlighterCoreSync({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    warnings: false,
  })
  const loaded = new Map<string, boolean>()
  const cache = new Map<string, string>()
  let bytes = 0

  function load(id: string): boolean {
    let isLoaded = loaded.get(id)
    if (isLoaded === undefined) {
      try {
        shiki.loadLanguageSync(loadModule(`shiki/langs/${id}.mjs`).default)
        isLoaded = true
      } catch {
        isLoaded = false
      }
      loaded.set(id, isLoaded)
    }
    return isLoaded
  }

  function tokens(code: string, id: string) {
    return shiki.codeToTokensBase(code, {
      lang: id,
      theme: 'classes',
      tokenizeMaxLineLength: longestLine,
      tokenizeTimeLimit: lineTimeLimit,
    })
  }

  function colored(code: string, id: string): string {
    const begun = performance.now()
    const first = tokens(code, id)
    // Grammars are made ready on the way, which must not count against the code.
    const isLate = performance.now() - begun >= lineTimeLimit
    return (isLate ? tokens(code, id) : first).map(lineHtml).join('\n')
  }

  return (source, language) => {
    const code = source.replace(/\n+$/, '')
    const name = language.toLowerCase()
    const key = `${name}\n${code}`
    const known = cache.get(key)
    if (known !== undefined) return known
    const id = code.length > longestCode ? undefined : idByName.get(name)
    const inside = id !== undefined && load(id) ? tryOr(() => colored(code, id)) : undefined
    const text = `<pre class="code" tabindex="0"><code>${inside ?? escapeHtml(code)}</code></pre>`
    bytes += text.length
    if (bytes <= cachedBytes) cache.set(key, text)
    return text
  }
}

/** A grammar that fails costs the colours, not the page. */
function tryOr(work: () => string): string | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

interface Token {
  content: string
  color?: string
}

function lineHtml(tokens: Token[]): string {
  let text = ''
  let open: string | undefined
  for (const { content, color } of tokens) {
    const name = content.trim() === '' ? open : codeClass(color)
    if (name !== open) {
      if (open !== undefined) text += '</span>'
      if (name !== undefined) text += `<span class="${name}">`
      open = name
    }
    text += escapeHtml(content)
  }
  return open === undefined ? text : `${text}</span>`
}
