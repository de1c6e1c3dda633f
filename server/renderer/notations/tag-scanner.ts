// Finds the tags of templates in Markdown, outside of code: `{% name key="value" %}` of Liquid (GitBook, Jekyll), the
// shortcodes of Hugo, `{{< name >}}` and `{{% name %}}`, and those of HTML that may have Markdown in them. One pass, in time
// linear in the text.

export interface Tag {
  syntax: 'liquid' | 'hugo' | 'html'
  name: string
  /** `{% endname %}`, `{{< /name >}}`. */
  isEnd: boolean
  positional: string[]
  named: Record<string, string>
  /** All that follows the name. */
  rest: string
  from: number
  to: number
  end?: Tag
}

interface Code {
  from: number
  to: number
}

const maxTagLength = 4000
/** Longer inline code is taken for text. */
const maxSpanLength = 400
const marks =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})[^`\n]*$|`+|\{%|\{\{[<%]|<pre\b|<!--|<\/?(?:article|aside|center|details|div|figcaption|figure|p|section|span|summary)(?=[\s>])/gm

const mayHaveTags = (text: string): boolean =>
  /\{[{%]|<[^<>]{1,300}\bmarkdown\b|<i class="fa-/.test(text)

/** Tags and code, in order. */
export function* scanTags(text: string): Generator<Tag | Code> {
  const find = createFinder(text)
  const scan = new RegExp(marks)
  for (let match = scan.exec(text); match; match = scan.exec(text)) {
    const [mark, fence] = match
    const from = match.index
    if (fence !== undefined) {
      scan.lastIndex = endOfFence(text, scan.lastIndex, fence)
      yield { from, to: scan.lastIndex }
    } else if (mark.startsWith('`')) {
      const end = endOfSpan(text, from + mark.length, mark.length)
      if (end === undefined) continue
      scan.lastIndex = end
      yield { from, to: end }
    } else if (mark === '<!--' || mark === '<pre') {
      const close = mark === '<!--' ? '-->' : '</pre>'
      const end = find(close, from)
      if (end < 0) continue
      scan.lastIndex = end + close.length
      yield { from, to: scan.lastIndex }
    } else {
      const close = ends[mark] ?? '>'
      const end = find(close, from + mark.length)
      const tag = end < 0 ? undefined : parseTag(text, from, end, close.length)
      if (!tag) continue
      scan.lastIndex = tag.to
      yield tag
    }
  }
}

const ends: Record<string, string> = { '{%': '%}', '{{<': '>}}', '{{%': '%}}' }

/** `indexOf` for ascending positions, which does not search the same text twice. */
function createFinder(text: string): (part: string, from: number) => number {
  const found = new Map<string, number>()
  return (part, from) => {
    const known = found.get(part)
    if (known !== undefined && (known < 0 || known >= from)) return known
    const index = text.indexOf(part, from)
    found.set(part, index)
    return index
  }
}

/** Where the line ends that closes the block of code, or the text. */
function endOfFence(text: string, from: number, fence: string): number {
  const close = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/gm
  close.lastIndex = from
  for (let match = close.exec(text); match; match = close.exec(text)) {
    if (match[1]?.startsWith(fence)) return close.lastIndex
  }
  return text.length
}

/** Where the inline code ends that begins with so many backticks before `from`. */
export function endOfSpan(text: string, from: number, length: number): number | undefined {
  const span = text.slice(from, from + maxSpanLength).split(/\n[ \t]*\n/, 1)[0] ?? ''
  for (const { 0: run, index } of span.matchAll(/`+/g)) {
    if (run.length === length) return from + index + length
  }
  return undefined
}

const argument =
  /([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(\S+))|"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(\S+)/g

function parseTag(text: string, from: number, end: number, length: number): Tag | undefined {
  if (end - from > maxTagLength) return undefined
  const syntax = text[from] === '<' ? 'html' : text[from + 1] === '{' ? 'hugo' : 'liquid'
  const inner = text.slice(from + openLengths[syntax], end).replace(flags[syntax], '')
  const [, slash, name = '', rest = ''] = /^\s*(\/?)\s*([\w@./-]+)([\s\S]*)$/.exec(inner) ?? []
  if (name === '') return undefined
  const isLiquidEnd = syntax === 'liquid' && /^end[a-z]/.test(name)
  const tag: Tag = {
    syntax,
    name: (isLiquidEnd ? name.slice(3) : name).toLowerCase(),
    isEnd: isLiquidEnd || (syntax !== 'liquid' && slash === '/'),
    positional: [],
    named: {},
    rest: rest.trim(),
    from,
    to: end + length,
  }
  for (const [, key, ...values] of rest.matchAll(argument)) {
    const value = values.find((each) => each !== undefined)?.replaceAll(/\\(["\\])/g, '$1') ?? ''
    if (key === undefined) tag.positional.push(value)
    else tag.named[key.toLowerCase()] = value
  }
  return tag
}

const openLengths = { html: 1, hugo: 3, liquid: 2 }
/** What is neither name nor argument. */
const flags = { html: /\/$/, hugo: /\/$/, liquid: /^-|-$/g }

export const isTag = (part: Tag | Code): part is Tag => 'name' in part

/** The tags of a text by where they begin, with their ends. */
export function pairTags(text: string): Map<number, Tag> {
  const tags = new Map<number, Tag>()
  const open = new Map<string, Tag[]>()
  if (!mayHaveTags(text)) return tags
  for (const tag of scanTags(text)) {
    if (!isTag(tag)) continue
    tags.set(tag.from, tag)
    const key = `${tag.syntax} ${tag.name}`
    const start = tag.isEnd ? open.get(key)?.pop() : undefined
    if (start) start.end = tag
    else if (!tag.isEnd) open.getOrInsertComputed(key, () => []).push(tag)
  }
  return tags
}

// `{{</* name */>}}` stands for the shortcode as text.
const escaped = /\{\{([<%])\/\*([\s\S]{0,1000}?)\*\/([>%])\}\}/g

/** Addresses in Jekyll: `{{ site.baseurl }}`, `{{ "/path" | relative_url }}`. */
const addresses =
  /\{\{-?[ \t]*(?:site\.(?:base)?url|(["'])([^"'{}\n]{0,300})\1[ \t]*\|[ \t]*(?:relative|absolute)_url)[ \t]*-?\}\}/g

/** Icons of GitBook: their names are no text. */
const icons = /<i class="fa-[\w -]{1,100}">:[\w-]{1,100}:<\/i>[ \t]?/g

/**
 * The text in which tags that are only text are replaced by it, escaped ones are text, and nothing of what is in
 * `{% raw %}` is a tag. The number of lines is the same.
 */
export function replaceTags(text: string, replace: (tag: Tag) => string | undefined): string {
  if (!mayHaveTags(text)) return text
  const parts: string[] = []
  let done = 0
  const put = (to: number, replacement: string, next: number) => {
    const before = text.slice(done, to).replaceAll(addresses, '$2').replaceAll(icons, '')
    parts.push(
      before.replaceAll(escaped, (all) => asText(unescaped(all))),
      replacement,
    )
    done = next
  }
  let rawFrom: number | undefined
  for (const part of scanTags(text)) {
    if (!isTag(part)) {
      if (rawFrom !== undefined) putRaw(part.from)
      put(part.from, unescaped(text.slice(part.from, part.to)), part.to)
    } else if (part.syntax === 'liquid' && part.name === 'raw') {
      if (part.isEnd && rawFrom !== undefined) putRaw(part.from)
      put(part.from, '', part.to)
      rawFrom = part.isEnd ? undefined : part.to
    } else if (rawFrom === undefined) {
      const replacement = replace(part)
      if (replacement !== undefined) put(part.from, replacement, part.to)
    }
  }
  put(text.length, '', text.length)
  return parts.join('')

  function putRaw(to: number) {
    put(done, asText(text.slice(done, to)), to)
  }
}

const unescaped = (text: string): string => text.replaceAll(escaped, '{{$1$2$3}}')

/** The comment is not published. */
const asText = (text: string): string =>
  text
    .replaceAll(/\{(?=[{%])/g, '{<!-- -->')
    .replaceAll('{<', (all, at: number, whole: string) =>
      whole.startsWith('{<!-- -->', at) ? all : '{&lt;',
    )
