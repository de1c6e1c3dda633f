// The syntax of MDX that is not Markdown, read without running it: tags, expressions in braces, import and export. What is
// no literal has no value. Readings that fail have a limit for the whole text, so that reading is linear.
import type { Literal } from '../notations/meanings.ts'
import { endOfCode, endOfLine } from './code-ends.ts'
import { readLiteral } from './read-literals.ts'

export interface Tag {
  /** Empty for a fragment. */
  name: string
  kind: 'open' | 'close' | 'void'
  /** Those with a value that is known; true without a value. */
  attributes: ReadonlyMap<string, Literal>
  /** The position after it. */
  end: number
  /** Of a template: how it is written. */
  template?: string
  /** Its content is no Markdown in the template. */
  isRaw?: boolean
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

const tagStart = /<(\/?)((?:[A-Za-z_$][\w$.:-]*)?)/y
const tagEnd = /\s*(\/?)>/y
const space = /\s*/y
const attribute =
  /\s+([A-Za-z_$@:#][\w$.:@-]*)(?:\s*(=)\s*(?:"([^"]{0,50000})"|'([^']{0,50000})'|([^\s"'=<>`{}]+)|(?=\{)))?/y
/** What is around the name of a value. */
const around = /^(?:props|frontmatter|frontMatter)\.|\.(?:src|default)$/g

function exec(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

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
    const [start = '<', slash, name = ''] = exec(tagStart, text, at) ?? []
    const attributes = new Map<string, Literal>()
    let to = at + start.length
    while (to < last) {
      const close = exec(tagEnd, text, to)
      const end = to + (close?.[0].length ?? 0)
      if (close && end <= last && !(slash && close[1])) {
        return { name, kind: slash ? 'close' : close[1] ? 'void' : 'open', attributes, end }
      }
      const found = name === '' ? null : exec(attribute, text, to)
      const [all, key, equals, ...values] = found ?? exec(space, text, to) ?? []
      to += all?.length ?? 0
      if (text[to] === '{' && (key === undefined || equals)) {
        // A value, `{...props}`, or a comment.
        const expression = expressionAt(text, to, last)
        if (!expression) return fail(at, last)
        if (key && expression.value !== undefined) attributes.set(key, expression.value)
        to = expression.end
      } else if (key === undefined) return fail(at, text[to] === '=' ? last : to)
      else attributes.set(key, values.find((value) => value !== undefined) ?? true)
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
