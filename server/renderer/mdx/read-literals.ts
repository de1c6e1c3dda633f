// Reads values that JavaScript says itself: a literal in MDX, and the configuration that is written as a program in JavaScript
// or TypeScript (docusaurus.config.js, .vitepress/config.ts) as far as it is data: objects, lists, texts and numbers, the
// constants that it names, the first object given to a function such as defineConfig, and what a function without parameters
// returns at once. Nothing is executed. Everything else is left out, with the name of its field. The work is bounded: files of
// at most 512 KB, and a number of values.
import { endOfCode } from './code-ends.ts'

export interface Literals {
  /** Undefined if nothing could be read. */
  value: unknown
  /** Fields whose values are not data, with their lines. */
  skipped: { name: string; line: number }[]
}

/** The text of the file that a program imports as `./name`; undefined if there is none. */
type Load = (specifier: string) => { text: string; load: Load } | undefined

const limits = { characters: 512 * 1024, depth: 50, skipped: 1000, steps: 200_000 }

/** Reads what the program exports as its default. */
export function readLiterals(text: string, load: Load = () => undefined): Literals {
  return createReader(text, load, newBudget()).readExport('default')
}

/** The value of a text that is a literal as a whole. `named`: what is known of names, also with dots. */
export function readLiteral(text: string, named: Named): unknown {
  return createReader(text, () => undefined, newBudget(), named).readWhole()
}

type Named = (name: string) => unknown

const newBudget = (): Budget => ({ steps: limits.steps, constants: 0, skipped: [] })

interface Budget {
  steps: number
  /** Constants in constants that are being read. */
  constants: number
  skipped: Literals['skipped']
}

const wordForm = /[\p{L}\p{N}_$]+/uy
const gap = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y
const importForm = /^\s*import\s+([^'"]{1,2000}?)from\s*['"](\.[^'"\n]+)['"]/
const numberForm = /-?(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)/iy

function createReader(text: string, load: Load, budget: Budget, named?: Named) {
  const source = text.length > limits.characters ? '' : text
  let at = 0
  let depth = 0
  /** Whether all that was read is data. */
  let isWhole = true
  const open = new Set<string>()
  /** What a search of the whole text costs. */
  const searchCost = 100 + source.length / 500
  budget.steps -= searchCost
  let imports: { clause: string; specifier: string }[] | undefined

  const match = (form: RegExp): string | undefined => {
    form.lastIndex = at
    const found = form.exec(source)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const skipGap = (): void => void match(gap)
  const isNext = (mark: string): boolean => source.startsWith(mark, at)
  const take = (mark: string): boolean => {
    skipGap()
    if (!isNext(mark)) return false
    at += mark.length
    return true
  }

  /** Moves behind one character, text, comment or bracket with its content. */
  function skipOne(): void {
    budget.steps--
    const character = source[at] ?? ''
    if (character === '"' || character === "'" || character === '`') readText(character)
    else if ('([{'.includes(character)) skipBracket()
    else if (match(gap) === undefined && match(wordForm) === undefined) at++
  }

  function skipBracket(): void {
    const end = endOfCode(source, at, source.length) ?? source.length
    budget.steps -= 1 + (end - at) / 10
    at = end
  }

  /** To the comma, the semicolon or the bracket that ends an expression. */
  function skipExpression(): void {
    while (at < source.length && budget.steps > 0 && !/[,;)\]}]/.test(source[at] ?? '')) skipOne()
  }

  function readText(quote: string): string | undefined {
    at++
    let value = ''
    let isText = true
    for (; at < source.length && source[at] !== quote; at++) {
      budget.steps -= 0.1
      const character = source[at] ?? ''
      if (character === '\\') {
        value += escaped(match(escapeForm) ?? '')
        at--
      } else if (quote === '`' && isNext('${')) {
        at++
        skipBracket()
        at--
        isText = false
      } else if (quote !== '`' && character === '\n') break
      else value += character
    }
    at++
    return isText ? value : undefined
  }

  function readValue(): unknown {
    if (budget.steps-- <= 0 || depth > limits.depth) {
      isWhole = false
      return skipExpression()
    }
    depth++
    let value = readTerm()
    for (;;) {
      skipGap()
      if (take('+') && !isNext('+')) {
        const other = readTerm()
        value = typeof value === 'string' && typeof other === 'string' ? value + other : undefined
      } else if (!named && (take('||') || take('??'))) {
        const other = readTerm()
        value ??= other
      } else break
    }
    if (/^(?:=>|\?|&&|\.map\b|\.flatMap\b|=== |\* )/.test(source.slice(at, at + 10)))
      value = undefined
    const end = at
    skipExpression()
    if (value === undefined || at > end) isWhole = false
    depth--
    return value
  }

  function readTerm(): unknown {
    skipGap()
    const character = source[at] ?? ''
    if (character === '{') return readObject()
    if (character === '[') return readList()
    if (character === '"' || character === "'" || character === '`') return readText(character)
    const number = match(numberForm)
    if (number !== undefined) return Number(number.replaceAll('_', ''))
    if (character === '(') {
      const begin = at
      skipBracket()
      const end = at
      skipGap()
      if (isNext('=>')) return undefined
      at = begin + 1
      const value = readValue()
      at = end
      return value
    }
    const word = match(wordForm)
    if (word === undefined) return undefined
    if (word in constants) return constants[word]
    if (/^(?:function|async|class|new|typeof|await)$/.test(word)) return undefined
    return readName(word)
  }

  /** A constant, or a call: the first object of its arguments, the last text of those of a path, or what it returns at once. */
  function readName(word: string): unknown {
    let name = word
    while (isNext('.') || isNext('?.')) {
      match(/\??\./y)
      name += `.${match(wordForm) ?? ''}`
    }
    match(/<[\w\s.,[\]{}|'"]{1,200}>(?=\()/y)
    if (!take('(')) return named || name === word ? readConstant(name) : undefined
    const values: unknown[] = []
    while (at < source.length && !take(')') && budget.steps > 0) {
      values.push(readValue())
      if (!take(',') && !isNext(')')) at++
    }
    match(/\.default\b/y)
    const isOfPath =
      /^(?:path\.|require|resolve|join|fileURLToPath|useBaseUrl|withBase|String$)/.test(name)
    if (named && !isOfPath) return undefined
    if (name === word && values.length === 0) return readConstant(`${name}()`)
    const record = values.find((value) => typeof value === 'object' && value !== null)
    return record ?? (isOfPath ? values.findLast((value) => typeof value === 'string') : undefined)
  }

  function readObject(): Record<string, unknown> {
    const fields: Record<string, unknown> = Object.create(null)
    at++
    while (at < source.length && !take('}') && budget.steps > 0) {
      if (take(',')) continue
      const begin = at
      if (take('...')) {
        const value = readValue()
        isWhole = false
        if (typeof value === 'object') Object.assign(fields, value)
        continue
      }
      const character = source[at] ?? ''
      const isText = character === '"' || character === "'" || character === '`'
      const name = isText ? readText(character) : match(wordForm)
      skipGap()
      let value: unknown
      if (take(':')) {
        // What a title begins with is its name; what is added to it is not data.
        const place = at
        const start = name === 'title' ? match(/\s*`[\w .-]{3,60}(?=\$\{)/y) : undefined
        at = place
        value = readValue()
        if (value === undefined) value = start?.trim().slice(1).trim()
      } else if (name !== undefined && /[,}]/.test(source[at] ?? '')) value = readConstant(name)
      else {
        // A method, or a computed name.
        while (at < source.length && !/[,}]/.test(source[at] ?? '') && budget.steps > 0) skipOne()
        if (at === begin) at++
      }
      if (name === undefined || value === undefined) isWhole = false
      if (name === undefined || name === '__proto__') continue
      if (value !== undefined) fields[name] = value
      else if (budget.skipped.length < limits.skipped)
        budget.skipped.push({ name, line: source.slice(0, begin).split('\n').length })
    }
    return fields
  }

  function readList(): unknown[] {
    const items: unknown[] = []
    at++
    while (at < source.length && !take(']') && budget.steps > 0) {
      if (take(',')) continue
      const begin = at
      const isSpread = take('...')
      const value = readValue()
      if (isSpread) isWhole = false
      if (isSpread && Array.isArray(value)) items.push(...value.slice(0, 10_000))
      else if (!isSpread && value !== undefined) items.push(value)
      if (at === begin) at++
    }
    return items
  }

  /** The value of a constant of the file, or of one that it imports. `name()`: what that function returns at once. */
  function readConstant(name: string): unknown {
    const plain = name.replace('()', '')
    if (named) return named(name)
    if (open.has(name) || budget.steps <= 0 || budget.constants > limits.depth) return undefined
    open.add(name)
    budget.steps -= searchCost
    budget.constants++
    const saved = { at, depth }
    const isCall = plain !== name
    const word = RegExp.escape(plain)
    const forms = isCall
      ? `function\\s+${word}\\s*\\([^)]{0,200}\\)[^{\\n]{0,200}\\{\\s*return\\s|(?:const|let|var)\\s+${word}\\b[^=]{0,200}=\\s*\\([^)]{0,200}\\)[^={]{0,200}=>\\s*(?:\\{\\s*return\\s|\\(?)(?=[\\s[{(])`
      : `(?:const|let|var)\\s+${word}\\b(?:\\s*:[^=]{0,200})?\\s*=(?!>)`
    const found = new RegExp(`(?:^|\\n)[ \\t]*(?:export\\s+)?(?:default\\s+)?(?:${forms})`).exec(
      source,
    )
    let value: unknown
    if (found) {
      at = found.index + found[0].length
      depth = 0
      value = readValue()
    } else value = readImport(plain, isCall)
    at = saved.at
    depth = saved.depth
    open.delete(name)
    budget.constants--
    return value
  }

  function readImport(name: string, isCall: boolean): unknown {
    imports ??= source.split(/\n(?=import\s)/).flatMap((text) => {
      const [, clause = '', specifier] = importForm.exec(text) ?? []
      return specifier === undefined ? [] : [{ clause, specifier }]
    })
    const word = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`)
    const { clause = '', specifier = '' } = imports.find((each) => word.test(each.clause)) ?? {}
    const file = specifier === '' ? undefined : load(specifier)
    if (!file) return undefined
    const reader = createReader(file.text, file.load, budget)
    if (specifier.endsWith('.json')) return reader.readWhole()
    const wanted = word.exec(clause)?.index === 0 ? 'default' : name
    return reader.readExport(isCall ? `${wanted}()` : wanted).value
  }

  return {
    readWhole(): unknown {
      const value = readValue()
      return isWhole && at === source.length ? value : undefined
    },
    readExport(name: string): Literals {
      if (name !== 'default') return { value: readConstant(name), skipped: budget.skipped }
      const form = /(?:^|\n)[ \t]*(?:export\s+default|module\.exports\s*=|exports\s*=)\s*/
      const found = form.exec(source)
      if (found) at = found.index + found[0].length
      const value = found ? readValue() : undefined
      return { value, skipped: budget.skipped }
    },
  }
}

const constants: Record<string, unknown> = Object.assign(Object.create(null), {
  true: true,
  false: false,
  null: null,
})

const escapeForm = /\\(?:u[\da-f]{4}|[\s\S]?)/iy
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '', '\n': '' }

function escaped(text: string): string {
  const character = text.slice(1)
  if (character.length > 1) return String.fromCharCode(Number.parseInt(character.slice(1), 16))
  return escapes[character] ?? character
}
