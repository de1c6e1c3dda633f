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

export interface Expression {
  end: number
  /** Undefined if it is no literal. */
  value: Literal | undefined
  /** What is between the braces. */
  source: string
}

export type JsxReader = ReturnType<typeof createJsxReader>

const maxTag = 50_000
const maxModule = 200_000

const tagName = /(?:[A-Za-z_$][\w$.:-]*)?/y
const attributeName = /[A-Za-z_$@:#][\w$.:@-]*/y
const space = /\s*/y
const unquoted = /[^\s"'=<>`{}]+/y

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const skipSpace = (text: string, at: number) => at + (match(space, text, at)?.length ?? 0)

/** `length`: of all that is read with it. `names`: values of names, such as those of imported images. */
export function createJsxReader(length: number, names: ReadonlyMap<string, Literal>) {
  let left = 4 * length + 100_000
  /** Characters of the values of names, which may stand for each other. */
  let worth = 4 * length + 1_000_000
  const named = (name: string) => {
    const value = worth < 0 ? undefined : valueOfName(name, names)
    worth -= JSON.stringify(value ?? '').length
    return worth < 0 ? undefined : value
  }
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
    return { end, source, value: literalOf(source, named) }
  }

  /** The end of an import or export that begins at `at`: the end of a line. */
  function moduleEnd(text: string, at: number): number {
    const last = limitOf(text, at, text.length, maxModule)
    const end = endOfCode(text, at, last, '\n')
    if (end !== undefined) return end
    fail(at, last)
    const blank = text.slice(at, at + maxTag).search(/\n[ \t]*(?:\n|$)/)
    return blank === -1 ? endOfLine(text, at) : at + blank
  }

  return {
    tagAt,
    expressionAt,
    moduleEnd,
    literalOf: (source: string) => literalOf(source, named),
  }
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
  const brackets = until === '}' ? ['{', '}'] : ['{([', '})]']
  const open: string[] = []
  /** Up to here, quotes are apostrophes: they have no end on their line. */
  let plainTo = at
  for (let to = at; to < last; to += 1) {
    const character = text[to] ?? ''
    const next = text[to + 1]
    if (open.at(-1) === '`') {
      if (character === '\\') to += 1
      else if (character === '`') open.pop()
      else if (character === '$' && next === '{') {
        open.push('{')
        to += 1
      }
    } else if (character === '"' || character === "'") {
      const end = to < plainTo ? undefined : endOfString(text, to)
      if (end === undefined) plainTo = Math.max(plainTo, endOfLine(text, to))
      else to = end
    } else if (character === '/' && next === '*') {
      to = text.indexOf('*/', to + 2) + 1
      if (to === 0) return undefined
    } else if (character === '/' && next === '/' && /[\s;{(,]/.test(text[to - 1] ?? ' ')) {
      to = endOfLine(text, to) - 1
    } else if (character === '`' || brackets[0]?.includes(character)) {
      open.push(character)
    } else if (brackets[1]?.includes(character)) {
      open.pop()
      if (open.length === 0 && until === '}') return to < last ? to + 1 : undefined
    } else if (character === until && open.length === 0) {
      if (/^[ \t]*(?:\n|$)/.test(text.slice(to + 1, to + 200))) return to
    }
  }
  return until === '\n' && open.length === 0 && last === text.length ? last : undefined
}

/** The position of the quote that ends a string, on the same line. */
function endOfString(text: string, from: number): number | undefined {
  for (let to = from + 1; to < text.length && text[to] !== '\n'; to += 1) {
    if (text[to] === '\\') to += 1
    else if (text[to] === text[from]) return to
  }
  return undefined
}

const literalToken =
  /\s+|\.default\b|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*`|-?[\d.][\d._e+-]*|[A-Za-z_$][\w$]*(?:\??\.[\w$]+)*|[[\]{},:()]/y
/** Functions that return the address that they are given. */
const wrappers = ['useBaseUrl', 'withBase', 'require', 'String']

/** The value of JavaScript that is a literal, by its JSON. */
function literalOf(
  source: string,
  named: (name: string) => Literal | undefined,
): Literal | undefined {
  const json: string[] = []
  try {
    for (let at = 0; at < source.length; ) {
      const token = match(literalToken, source, at)
      if (token === undefined) return undefined
      at += token.length
      if (/^["'`]/.test(token)) json.push(JSON.stringify(unquote(token)))
      else if (/^[-\d]/.test(token)) json.push(String(Number(token.replaceAll('_', ''))))
      else if (/^[A-Za-z_$]/.test(token)) {
        const isKey = /^\s*:/.test(source.slice(at, at + 20)) && /[{,]/.test(json.at(-1) ?? '')
        const value = isKey ? token : named(token)
        if (value !== undefined) json.push(JSON.stringify(value))
        else if (!wrappers.includes(token)) return undefined
      } else if (/[\]}]/.test(token) && json.at(-1) === ',') json[json.length - 1] = token
      else if (/[[\]{},:]/.test(token)) json.push(token)
    }
    return JSON.parse(json.join('')) as Literal
  } catch {
    return undefined
  }
}

const constants: Record<string, Literal> = { true: true, false: false, null: null, undefined: null }
const prefixes = /^(?:props|frontmatter|frontMatter)\.|\.(?:src|default)$/g

function valueOfName(name: string, names: ReadonlyMap<string, Literal>): Literal | undefined {
  if (Object.hasOwn(constants, name)) return constants[name]
  return names.get(name) ?? names.get(name.replace(prefixes, ''))
}

const controls: Record<string, string> = { n: '\n', t: '\t', '\n': '' }
const escaped = /\\(?:u([\da-f]{4})|([\s\S]))/gi

function unquote(text: string): string {
  return text.slice(1, -1).replaceAll(escaped, (_, unit, character) => {
    if (unit === undefined) return controls[character] ?? character
    return String.fromCharCode(Number.parseInt(unit, 16))
  })
}
