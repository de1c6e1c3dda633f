// Splits HTML into tags and text in linear time, whatever it contains: for reading what a page shows, never for
// deciding what is safe. Whatever is not closed extends to the end.

export type HtmlToken =
  | { type: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { type: 'close'; name: string }
  /** Decoded. `of` is the element whose content is only text, such as title. */
  | { type: 'text'; text: string; of?: string }

/** Elements whose content is text up to their end tag. */
const textOnly = new Set(['script', 'style', 'textarea', 'title', 'noscript', 'template', 'iframe'])
const tagName = /[a-z][a-z0-9-]{0,30}/iy
const attribute = /\s*([^\s"'<>/=]{1,60})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]*)))?/y
const maxAttributes = 30

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  while (at < html.length) {
    const start = html.indexOf('<', at)
    if (start > at || start < 0) {
      const text = start < 0 ? html.slice(at) : html.slice(at, start)
      yield { type: 'text', text: decodeText(text) }
      if (start < 0) return
    }
    const next = html[start + 1]
    if (next === '!' || next === '?') {
      const [mark, length] = html.startsWith('<!--', start) ? ['-->', 3] : ['>', 1]
      const end = html.indexOf(mark, start + 2)
      if (end < 0) return
      at = end + length
      continue
    }
    const isClosing = next === '/'
    tagName.lastIndex = start + (isClosing ? 2 : 1)
    const [written] = tagName.exec(html) ?? []
    if (written === undefined) {
      yield { type: 'text', text: '<' }
      at = start + 1
      continue
    }
    const name = written.toLowerCase()
    const tag = readTag(html, tagName.lastIndex)
    if (tag.end < 0) return
    at = tag.end
    if (isClosing) {
      yield { type: 'close', name }
      continue
    }
    yield { type: 'open', name, attributes: tag.attributes }
    if (!textOnly.has(name)) continue
    const closing = new RegExp(`</${name}`, 'gi')
    closing.lastIndex = at
    const end = closing.exec(html)?.index
    yield { type: 'text', text: decodeText(html.slice(at, end)), of: name }
    if (end === undefined) return
    at = end
  }
}

/** The attributes after a tag's name, and the place after the tag; -1 if it does not end. */
function readTag(html: string, from: number) {
  const attributes = new Map<string, string>()
  let at = from
  while (attributes.size < maxAttributes) {
    attribute.lastIndex = at
    const found = attribute.exec(html)
    if (!found) break
    const [, name = '', double, single, plain] = found
    attributes.set(name.toLowerCase(), decodeText(double ?? single ?? plain ?? ''))
    at = attribute.lastIndex
  }
  const end = html.indexOf('>', at)
  return { attributes, end: end < 0 ? -1 : end + 1 }
}

const named: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®' },
  ...{ hellip: '…', mdash: '—', ndash: '–', rarr: '→', larr: '←', middot: '·', bull: '•' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', times: '×', trade: '™', laquo: '«' },
}

function decodeText(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (written, decimal, hexadecimal, name) => {
      if (name !== undefined) return named[name.toLowerCase()] ?? written
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
    },
  )
}
