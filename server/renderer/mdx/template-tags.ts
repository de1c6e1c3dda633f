// Tags of templates: `{% name key="value" %}` of Liquid (GitBook, Jekyll), and the shortcodes of Hugo, `{{< name >}}` and
// `{{% name %}}`. Those that are only text, wherever they are, such as in addresses, are replaced before the Markdown is read.
import { readArguments } from '../notations/meanings.ts'
import type { Tag } from './jsx.ts'

const maxLength = 4000
const ends: Record<string, string> = { '{%': '%}', '{{<': '>}}', '{{%': '%}}' }

/** The tag that begins there; undefined if there is none. */
export function templateTagAt(text: string, at: number, limit: number): Tag | undefined {
  const [mark = ''] = /^\{(?:%|\{[<%])/.exec(text.slice(at, at + 3)) ?? []
  const close = ends[mark]
  if (close === undefined) return undefined
  const rest = text.slice(at + mark.length, Math.min(limit, at + maxLength))
  // A tag in a tag is none, so that many openings are not read again for each of them.
  const length = rest.search(/[%>]\}|\{[%{]/)
  if (!rest.startsWith(close, length)) return undefined
  const inner = rest.slice(0, length).replace(/^-/, '').trim()
  const isVoid = inner.endsWith('/')
  const [, slash, name = '', settings = ''] =
    /^(\/|end(?=[a-z]))?\s*([\w@./-]+)([\s\S]*)$/.exec(inner.replace(/[/-]$/, '')) ?? []
  if (name === '') return undefined
  return {
    name: name.toLowerCase(),
    kind: slash ? 'close' : isVoid ? 'void' : 'open',
    template: mark === '{%' ? `{% ${name} %}` : `{{< ${name} >}}`,
    isRaw: mark === '{{<',
    attributes: readArguments(settings),
    end: at + mark.length + length + close.length,
  }
}

/** A block of code, also without its end, or a span. */
const code = String.raw`^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?<fence>\x60{3,}|~{3,})[^\x60\n]*$[\s\S]*?(?:^[ \t>]*\k<fence>[\x60~]*[ \t]*$|$(?![\s\S]))|(?<!\x60)(?<span>\x60+)(?!\x60)(?:(?!\n[ \t]{0,100}\n)[\s\S]){0,400}?(?<!\x60)\k<span>(?!\x60)`
const escaped = String.raw`\{\{(?<open>[<%])\/\*(?<shown>[\s\S]{0,1000}?)\*\/(?<close>[>%])\}\}`
const texts = new RegExp(
  [
    `(?<code>${code})`,
    // `{{</* name */>}}` stands for the shortcode as text; nothing of what is in `{% raw %}` is a tag.
    escaped,
    String.raw`\{%-?\s*raw\s*-?%\}(?<raw>[\s\S]*?)(?:\{%-?\s*endraw\s*-?%\}|$(?![\s\S]))`,
    String.raw`\{\{[<%]\s*(?:rel)?ref\s+(?:path=)?"?(?<page>[^"\s<>%]{1,500})"?[^<>%{}]{0,200}[<>%]\}\}`,
    // Addresses in Jekyll: the path of a source, from the root of the site.
    String.raw`\{%-?\s*link\s+\/?(?<source>[^%{}\n]{1,300}?)\s*-?%\}`,
    String.raw`\{\{-?[ \t]*(?:site\.(?:base)?url|(["'])(?<path>[^"'{}\n]{0,300})["'][ \t]*\|[ \t]*(?:relative|absolute)_url)[ \t]*-?\}\}`,
    // Material for MkDocs: a setting, and what is said of it.
    String.raw`<!-- md:(?<kind>\w+) (?<fact>[^\n]{1,200}?) -->`,
    // Icons of GitBook: their names are no text.
    String.raw`<i class="fa-[\w -]{1,100}">:[\w-]{1,100}:<\/i>[ \t]?`,
  ].join('|'),
  'gm',
)

/** The text with what such tags stand for. The number of lines is the same. */
export function replaceTextTags(text: string): string {
  if (!/\{[{%]|<i class="fa-|<!-- md:/.test(text)) return text
  return text.replaceAll(texts, (...all) => {
    const groups = all.at(-1) as Record<string, string | undefined>
    const { close, code, fact = '', kind, open, page, path, raw, shown, source } = groups
    if (code !== undefined)
      return code.replaceAll(new RegExp(escaped, 'g'), '{{$<open>$<shown>$<close>}}')
    if (kind === 'setting' || kind === 'option')
      return `\`${fact.replace(/.*[.:*](?=.)/, '')}\`{ #${kind === 'option' ? '+' : ''}${fact} }`
    if (kind) return `<small>${kind} ${fact}</small>`.replace('flag ', '')
    if (shown !== undefined) return asText(`{{${open}${shown}${close}}}`)
    if (raw !== undefined) return asText(raw)
    if (page !== undefined || source !== undefined) return addressOf(page ?? `/${source}`)
    return path ?? ''
  })
}

const addressOf = (path: string) => path.replaceAll(' ', '%20').replaceAll(/[()<>]/g, '')

/** Outside of code, braces begin nothing. The comment is not published. */
const asText = (text: string): string =>
  text.replaceAll(new RegExp(String.raw`${code}|\{(?=[{%])|(?<=\{)<`, 'gm'), (part) =>
    part === '{' ? '{<!-- -->' : part === '<' ? '&lt;' : part,
  )
