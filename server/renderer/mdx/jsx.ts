// The syntax of MDX that is not Markdown, read without running it: tags, expressions in braces, import and export. What is
// no literal has no value. Readings that fail have a limit for the whole text, so that reading is linear.
import { endOfCode, endOfLine } from './code-ends.ts'
import { readLiteral } from './read-literals.ts'

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
/** What is around the name of a value. */
const around = /^(?:props|frontmatter|frontMatter)\.|\.(?:src|default)$/g
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
  const named = (name: string): Literal | undefined => {
    if (name === 'undefined') return null
    const value = worth < 0 ? undefined : (names.get(name) ?? names.get(name.replace(around, '')))
    worth -= JSON.stringify(value ?? '').length
    return worth < 0 ? undefined : value
  }
  const literalOf = (source: string) => readLiteral(source, named) as Literal | undefined
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
        const end = endOfCode(text, to, last)
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
    const end = endOfCode(text, at, last)
    if (end === undefined) return fail(at, last)
    const source = text.slice(at + 1, end - 1).trim()
    return { end, source, value: literalOf(source) }
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

  return { tagAt, expressionAt, moduleEnd, literalOf }
}
