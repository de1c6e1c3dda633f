// The syntax of MDX that is not Markdown, read without running it: tags, expressions in braces, import and export. What is
// no literal has no value. Readings that fail have a limit for the whole text, so that reading is linear.

/** A value that the source itself says: no variable and no call. */
export type Literal = string | number | boolean | null | Literal[] | { [name: string]: Literal }

export interface Tag {
  /** Empty for a fragment. */
  name: string
  kind: 'open' | 'close' | 'void'
  /** Those with a value that is known; true without a value. */
  attributes: ReadonlyMap<string, Literal>
  /** The position after it. */
  end: number
}

interface Expression {
  end: number
  /** Undefined if it is no literal. */
  value: Literal | undefined
  /** What is between the braces. */
  source: string
}

/** `names`: values of names, such as those of imported images. */
export interface JsxReader {
  tagAt(text: string, at: number, limit?: number): Tag | undefined
  expressionAt(text: string, at: number, limit?: number): Expression | undefined
  /** The end of an import or export that begins at `at`: the end of a line. */
  moduleEnd(text: string, at: number): number
  literalOf(source: string): Literal | undefined
}

const maxTag = 50_000
const maxModule = 200_000
const maxDepth = 40

const tagName = /(?:[A-Za-z_$][\w$.:-]*)?/y
const attributeName = /[A-Za-z_$@:#][\w$.:@-]*/y
const space = /\s*/y
const unquoted = /[^\s"'=<>`{}]+/y

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const skipSpace = (text: string, at: number) => at + (match(space, text, at)?.length ?? 0)

/** `length` of all that is read with it. */
export function createJsxReader(length: number, names: ReadonlyMap<string, Literal>): JsxReader {
  let left = 4 * length + 100_000
  const fail = (from: number, to: number) => {
    left -= to - from + 1
    return undefined
  }
  const limitOf = (text: string, at: number, limit: number, most: number) =>
    left < 0 ? at : Math.min(limit, at + most, text.length)

  function tagAt(text: string, at: number, limit = text.length): Tag | undefined {
    const last = limitOf(text, at, limit, maxTag)
    const isClose = text[at + 1] === '/'
    let to = at + (isClose ? 2 : 1)
    const name = match(tagName, text, to) ?? ''
    to += name.length
    const attributes = new Map<string, Literal>()
    while (to < last) {
      const from = to
      to = skipSpace(text, to)
      if (text.startsWith('/>', to) && !isClose && to + 1 < last)
        return { name, kind: 'void', attributes, end: to + 2 }
      if (text[to] === '>' && to < last)
        return { name, kind: isClose ? 'close' : 'open', attributes, end: to + 1 }
      if (text[to] === '{') {
        // `{...props}`, or a comment.
        const end = endOfBraces(text, to, last)
        if (end === undefined) return fail(at, last)
        to = end
        continue
      }
      const attribute = to > from && name !== '' ? match(attributeName, text, to) : undefined
      if (attribute === undefined) return fail(at, to)
      to += attribute.length
      const equals = skipSpace(text, to)
      if (text[equals] !== '=') {
        attributes.set(attribute, true)
        continue
      }
      to = skipSpace(text, equals + 1)
      const quote = text[to]
      if (quote === '"' || quote === "'") {
        const end = text.indexOf(quote, to + 1)
        if (end === -1 || end >= last) return fail(at, last)
        attributes.set(attribute, text.slice(to + 1, end))
        to = end + 1
      } else if (quote === '{') {
        const expression = expressionAt(text, to, last)
        if (!expression) return fail(at, last)
        if (expression.value !== undefined) attributes.set(attribute, expression.value)
        to = expression.end
      } else {
        const value = match(unquoted, text, to)
        if (value === undefined) return fail(at, to)
        attributes.set(attribute, value)
        to += value.length
      }
    }
    return fail(at, to)
  }

  function expressionAt(text: string, at: number, limit = text.length): Expression | undefined {
    const last = limitOf(text, at, limit, maxTag)
    const end = endOfBraces(text, at, last)
    if (end === undefined) return fail(at, last)
    const source = text.slice(at + 1, end - 1).trim()
    return { end, source, value: literalOf(source) }
  }

  function moduleEnd(text: string, at: number): number {
    const last = limitOf(text, at, text.length, maxModule)
    const end = endOfCode(text, at, last, '\n')
    if (end !== undefined) return end
    fail(at, last)
    const blank = text.slice(at, at + maxTag).search(/\n[ \t]*(?:\n|$)/)
    return blank === -1 ? endOfLine(text, at) : at + blank
  }

  function literalOf(source: string): Literal | undefined {
    const reading = { text: source, at: 0, names }
    const value = readLiteral(reading, 0)
    return reading.at === source.length ? value : undefined
  }

  return { tagAt, expressionAt, moduleEnd, literalOf }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

const endOfBraces = (text: string, at: number, last: number) => endOfCode(text, at, last, '}')

/**
 * The end of JavaScript from `at`: after the brace that closes the first one, or, for `\n`, before the empty line after
 * balanced brackets. Undefined if there is none before `last`.
 */
function endOfCode(text: string, at: number, last: number, until: '}' | '\n'): number | undefined {
  let depth = 0
  /** Template literals: the depths at which their `${` were opened. */
  const templates: number[] = []
  let to = at
  while (to < last) {
    const character = text[to] ?? ''
    to += 1
    if (character === '\n' && until === '\n') {
      const isEnd =
        depth <= 0 && templates.length === 0 && /^[ \t]*(?:\n|$)/.test(text.slice(to, to + 200))
      if (isEnd) return to - 1
    } else if (character === '"' || character === "'") {
      // An apostrophe in a text is no string.
      const end = endOfString(text, to, character)
      if (end !== undefined) to = end
    } else if (character === '`') {
      to = endOfTemplate(text, to, last, templates, depth)
    } else if (character === '/' && text[to] === '*') {
      const end = text.indexOf('*/', to + 1)
      if (end === -1) return undefined
      to = end + 2
    } else if (character === '/' && text[to] === '/' && /[\s;{(,]/.test(text[to - 2] ?? ' ')) {
      to = endOfLine(text, to)
    } else if (character === '{' || (until === '\n' && /[([]/.test(character))) {
      depth += 1
    } else if (character === '}' && templates.at(-1) === depth) {
      templates.pop()
      to = endOfTemplate(text, to, last, templates, depth)
    } else if (character === '}' || (until === '\n' && /[)\]]/.test(character))) {
      depth -= 1
      if (depth === 0 && until === '}') return to <= last ? to : undefined
    }
  }
  return until === '\n' && depth <= 0 && templates.length === 0 && last === text.length
    ? last
    : undefined
}

/** On the same line. */
function endOfString(text: string, from: number, quote: string): number | undefined {
  for (let to = from; to < text.length && text[to] !== '\n'; to += 1) {
    if (text[to] === '\\') to += 1
    else if (text[to] === quote) return to + 1
  }
  return undefined
}

/** After the template, or after the next `${` in it, which is added to `templates`. */
function endOfTemplate(
  text: string,
  from: number,
  last: number,
  templates: number[],
  depth: number,
): number {
  for (let to = from; to < last; to += 1) {
    if (text[to] === '\\') to += 1
    else if (text[to] === '`') return to + 1
    else if (text.startsWith('${', to)) {
      templates.push(depth)
      return to + 2
    }
  }
  return last
}

interface Reading {
  text: string
  at: number
  names: ReadonlyMap<string, Literal>
}

const word = /[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*/y
const numeral = /-?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy
const blank = /(?:\s|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|\/\/[^\n]*)*/y
/** Functions that return the address they are given. */
const wrapper = /(?:useBaseUrl|withBase|require|String)\s*\(/y

/** Leaves `at` before what is no literal. */
function readLiteral(reading: Reading, depth: number): Literal | undefined {
  const { text, names } = reading
  const skip = () => {
    reading.at += match(blank, text, reading.at)?.length ?? 0
    return text[reading.at] ?? ''
  }
  const first = skip()
  if (depth > maxDepth) return undefined
  if (first === '"' || first === "'" || first === '`') return readString(reading, first)
  if (first === '[' || first === '{') {
    const close = first === '[' ? ']' : '}'
    const list: Literal[] = []
    const fields: Record<string, Literal> = Object.create(null)
    reading.at += 1
    while (skip() !== close) {
      let name = ''
      if (first === '{') {
        const quote = text[reading.at] ?? ''
        const isQuoted = quote === '"' || quote === "'"
        const key = isQuoted ? readString(reading, quote) : match(word, text, reading.at)
        if (typeof key !== 'string') return undefined
        if (!isQuoted) reading.at += key.length
        name = key
        if (skip() !== ':') return undefined
        reading.at += 1
      }
      const value = readLiteral(reading, depth + 1)
      if (value === undefined) return undefined
      list.push(value)
      fields[name] = value
      const next = skip()
      if (next === ',') reading.at += 1
      else if (next !== close) return undefined
    }
    reading.at += 1
    skip()
    return first === '[' ? list : fields
  }
  const call = match(wrapper, text, reading.at)
  if (call !== undefined) {
    reading.at += call.length
    const value = readLiteral(reading, depth + 1)
    if (skip() !== ')') return undefined
    reading.at += 1
    if (text.startsWith('.default', reading.at)) reading.at += 8
    skip()
    return value
  }
  const number = match(numeral, text, reading.at)
  const name = number === undefined ? match(word, text, reading.at) : undefined
  const read = number ?? name
  if (read === undefined) return undefined
  const value = number === undefined ? valueOfName(read, names) : Number(read.replaceAll('_', ''))
  if (value === undefined) return undefined
  reading.at += read.length
  skip()
  return value
}

const constants: Record<string, Literal> = { true: true, false: false, null: null, undefined: null }

function valueOfName(name: string, names: ReadonlyMap<string, Literal>): Literal | undefined {
  if (Object.hasOwn(constants, name)) return constants[name]
  return (
    names.get(name) ??
    names.get(name.replace(/^(?:props|frontmatter|frontMatter)\.|\.(?:src|default)$/g, ''))
  )
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '', b: '', f: '', v: '', 0: '' }

function readString(reading: Reading, quote: string): string | undefined {
  const { text } = reading
  let value = ''
  for (let to = reading.at + 1; to < text.length; to += 1) {
    const character = text[to] ?? ''
    if (character === quote) {
      reading.at = to + 1
      reading.at += match(blank, text, reading.at)?.length ?? 0
      return value
    }
    if (quote === '`' ? text.startsWith('${', to) : character === '\n') return undefined
    if (character !== '\\') value += character
    else {
      to += 1
      const unit = /^(?:u([\da-f]{4})|u\{([\da-f]{1,5})\}|x([\da-f]{2}))/i.exec(
        text.slice(to, to + 9),
      )
      if (unit) {
        value += String.fromCodePoint(Number.parseInt(unit[1] ?? unit[2] ?? unit[3] ?? '', 16))
        to += unit[0].length - 1
      } else value += escapes[text[to] ?? ''] ?? (text[to] === '\n' ? '' : text[to])
    }
  }
  return undefined
}
