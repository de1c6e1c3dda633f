// Text for pages and samples from the untrusted values of a document; it is escaped where it is inserted. JSON keeps all
// digits and is bounded in size; words for POSIX shells are quoted (POSIX.1, Shell Command Language, section 2.2).

/** At most `length` characters, with an ellipsis if shortened. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** One line, at most 200 characters. */
export function oneLine(text: string, length = 200): string {
  return cut(
    text
      .slice(0, length * 4)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    length,
  )
}

/** The text of Markdown, without most of its syntax. At most 5,000 characters. */
export function plainText(markdown: string | undefined): string {
  if (markdown === undefined) return ''
  return markdown
    .slice(0, 5_000)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, ' ')
    .replaceAll(/!?\[([^[\]]{0,200})\]\([^()\s]{0,500}\)/g, '$1')
    .replaceAll(/^ {0,3}(?:#{1,6}|[-*+>]|\d{1,9}[.)]) +/gm, '')
    .replaceAll(/[`*]|~~~/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The first paragraph of Markdown and what follows it. */
export function splitParagraph(markdown: string): [first: string, rest: string] {
  const text = markdown.trim()
  const end = text.search(/\n[ \t]*\n/)
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end).trim()]
}

/** `listPets` becomes `list-pets`; empty if nothing is left. At most 80 characters. */
export function kebabCase(text: string): string {
  return text
    .slice(0, 400)
    .normalize('NFC')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1-$2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, 80)
    .replaceAll(/^-+|-+$|[\uD800-\uDBFF]$/g, '')
}

const maxCharacters = 50_000

/** Indented by two; `indent: false` for one line. */
export function jsonText(value: unknown, { indent = true } = {}): string {
  const pieces: string[] = []
  let length = 0

  function put(piece: string): void {
    if (length > maxCharacters) return
    length += piece.length
    pieces.push(length > maxCharacters ? '…' : piece)
  }

  function list(open: string, close: string, items: (() => void)[], margin: string): void {
    if (items.length === 0) {
      put(open + close)
      return
    }
    put(open)
    for (const [index, item] of items.entries()) {
      if (length > maxCharacters) return
      put(indent ? `${index === 0 ? '' : ','}\n${margin}  ` : index === 0 ? '' : ',')
      item()
    }
    put(indent ? `\n${margin}${close}` : close)
  }

  function write(item: unknown, margin: string): void {
    if (length > maxCharacters) return
    const deeper = `${margin}  `
    if (Array.isArray(item)) {
      const items = item.map((child) => () => write(child, deeper))
      list('[', ']', items, margin)
    } else if (typeof item === 'object' && item !== null) {
      const items = Object.entries(item).map(([key, child]) => () => {
        put(`${JSON.stringify(key)}:${indent ? ' ' : ''}`)
        write(child, deeper)
      })
      list('{', '}', items, margin)
    } else if (typeof item === 'bigint') put(item.toString())
    else put(JSON.stringify(item) ?? 'null')
  }

  write(value, '')
  return pieces.join('')
}

/** A value in a sentence: text without quotes, other values as JSON on one line. */
export function valueText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : jsonText(value, { indent: false })
}

export function isJson(type: string): boolean {
  return /[/+]json\b/i.test(type) && !/ndjson|json-seq/i.test(type)
}

/** Text that is not JSON is unchanged, as is JSON that the document contains as text. */
export function exampleText(value: unknown, type: string): string {
  if (typeof value !== 'string') return jsonText(value)
  return isJson(type) && !/^\s*[[{]/.test(value) ? jsonText(value) : value
}

/** The language to highlight it in. */
export function exampleLanguage(type: string): string {
  if (/json/i.test(type)) return 'json'
  const known = ['xml', 'csv', 'html', 'yaml', 'graphql', 'javascript', 'css']
  return known.find((name) => type.toLowerCase().includes(name)) ?? 'text'
}

/** One word that the shell passes on unchanged. NUL, which arguments cannot contain, is removed. */
export function shellQuote(text: string): string {
  const word = text.replaceAll('\0', '')
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** One word: `text`, followed by the value of a shell variable. */
export function shellQuoteWithVariable(text: string, variable: string): string {
  const word = text.replaceAll('\0', '')
  return /^[\w :,=/.-]*$/.test(word) ? `"${word}$${variable}"` : `${shellQuote(word)}"$${variable}"`
}
