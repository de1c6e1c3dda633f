// Reads values that JavaScript says itself: a literal in MDX, and the configuration that is written as a program in JavaScript
// or TypeScript (docusaurus.config.js, .vitepress/config.ts) as far as it is data: objects, lists, texts and numbers, the
// constants that it names, also of files that it imports, the first object given to a function such as defineConfig, and what
// a function of the program returns at once. acorn gives the syntax tree; nothing is executed. Everything else is left out, with
// the name of its field. The work is bounded: files of at most 512 KB, the tokens of the parser, and a number of values.
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { type AnyNode, Parser } from 'acorn'
import { type Fields, listOf, recordOf } from '../sources/plain-values.ts'

interface Literals {
  /** Undefined if nothing could be read. */
  value: unknown
  /** Fields whose values are not data, with their lines; `unparsed` of a program that is none. */
  skipped: { name: string; line: number }[]
}

/** A file of the folder that a program imports, by its path. */
type Load = (specifier: string, from: string) => { path: string; text: string } | undefined

/** What is known of names, also with dots. */
type Named = (name: string) => unknown

/** In the place of the name of a field. */
export const unparsed = 'in a program that cannot be parsed'
const limits = { characters: 512 * 1024, depth: 50, skipped: 1000, steps: 200_000 }

/** What the parser has and does not declare. */
type Tokens = new (
  ...given: never[]
) => { input: string; start: number; end: number; nextToken(): void }

/** TypeScript is ambiguous: what is read again and again ends the reading. Names are not compared with all the others. */
const withLimit = (base: typeof Parser): typeof Parser =>
  class extends (base as unknown as Tokens) {
    read = 0
    override nextToken() {
      super.nextToken()
      this.read += 1 + this.end - this.start
      if (this.read > 20 * this.input.length + 1000) throw new SyntaxError('Too much to read.')
    }
    declareName() {}
    checkLocalExport() {}
  } as unknown as typeof Parser

const TypeScript = Parser.extend(tsPlugin({ jsx: true }), withLimit)

/** The statements of a program; a text with the line where it ends to be one otherwise. */
function parse(text: string): AnyNode[] | number {
  if (text.length > limits.characters) return 1
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true } as const
    return TypeScript.parse(text, options).body
  } catch (error) {
    return (error as { loc?: { line: number } }).loc?.line ?? 1
  }
}

/** Reads what the program exports as its default. `path`: that of its file, as `load` knows it. */
export function readLiterals(text: string, path = '', load: Load = () => undefined): Literals {
  const { open, read, skipped } = createReader(load)
  const module = open({ path, text })
  return { value: read(module.names.get('default'), module), skipped }
}

/** The value of a text that is a literal as a whole. */
export function readLiteral(text: string, named: Named): unknown {
  const body = parse(`(${text}\n)`)
  if (typeof body === 'number' || body.length > 1) return undefined
  const reader = createReader(() => undefined, named)
  const value = reader.read(body[0], { path: '', text: `(${text}`, names: new Map() })
  return reader.isWhole() ? value : undefined
}

/** A file of a program, with what its names stand for: expressions, functions and imports. */
interface Module {
  path: string
  text: string
  names: Map<string, AnyNode>
}

/** Functions that give the last text of what they are given. */
const ofPath = /^(?:path\.|require\b|resolve$|join$|fileURLToPath$|useBaseUrl$|withBase$|String$)/
const ofEach = /\.(?:map|flatMap|reduce|find|some|every)$/

function createReader(load: Load, named?: Named) {
  const skipped: Literals['skipped'] = []
  const modules = new Map<string, Module>()
  let steps = limits.steps
  let isWhole = true

  const open = ({ path, text }: { path: string; text: string }): Module =>
    modules.getOrInsertComputed(path, () => {
      const program = path.endsWith('.json') ? `module.exports = ${text}` : text
      const body = parse(program)
      if (typeof body === 'number') skipped.push({ name: unparsed, line: body })
      return { path, text: program, names: typeof body === 'number' ? new Map() : namesIn(body) }
    })

  function read(node: AnyNode | null | undefined, module: Module, depth = 0): unknown {
    const isRead = node && steps-- > 0 && depth < limits.depth
    const value = isRead ? evaluate(node, module, depth + 1) : undefined
    if (value === undefined) isWhole = false
    return value
  }

  function evaluate(node: AnyNode, module: Module, depth: number): unknown {
    const inner = (other: AnyNode | null | undefined) => read(other, module, depth)
    const sourceOf = ({ end, start }: AnyNode) => module.text.slice(start, end)
    switch (node.type) {
      case 'Literal':
        return node.regex || node.bigint ? undefined : node.value
      case 'TemplateLiteral':
        return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined
      case 'UnaryExpression':
        return node.operator === '-' ? -Number(inner(node.argument)) : undefined
      case 'BinaryExpression': {
        const both = node.operator === '+' ? [inner(node.left), inner(node.right)] : []
        if (both.length === 0 || both.some((value) => typeof value !== 'string')) return undefined
        steps -= both.join('').length
        return both.join('')
      }
      case 'LogicalExpression':
        return node.operator === '&&' ? undefined : (inner(node.left) ?? inner(node.right))
      case 'ArrayExpression':
        return node.elements.flatMap((element) => {
          if (element?.type === 'SpreadElement') return listOf(inner(element.argument))
          const value = element ? inner(element) : undefined
          return value === undefined ? [] : [value]
        })
      case 'ObjectExpression': {
        const fields: Fields = Object.create(null)
        for (const field of node.properties) {
          const isSpread = field.type === 'SpreadElement'
          const name = isSpread ? undefined : nameIn(field.key, field.computed)
          const value = inner(isSpread ? field.argument : field.value)
          const known = value === undefined && name === 'title' ? startOf(field) : value
          if (isSpread) Object.assign(fields, recordOf(value))
          else if (name === undefined || name === '__proto__') isWhole = false
          else if (known !== undefined) fields[name] = known
          else if (skipped.length < limits.skipped)
            skipped.push({ name, line: field.loc?.start.line ?? 1 })
        }
        return fields
      }
      case 'Identifier':
        return named ? named(node.name) : readName(node.name, module, depth)
      case 'MemberExpression': {
        const name = nameIn(node.property, node.computed) ?? ''
        if (name === 'default') return inner(node.object)
        if (named) return named(sourceOf(node).replaceAll('?.', '.'))
        const object = recordOf(inner(node.object))
        return Object.hasOwn(object, name) ? object[name] : undefined
      }
      case 'FunctionDeclaration':
      case 'ArrowFunctionExpression':
        return named ? undefined : inner(returned(node.body))
      case 'CallExpression': {
        const { arguments: all, callee } = node
        const called = sourceOf(callee)
        const given = all.map(inner)
        if (ofPath.test(called)) return given.findLast((value) => typeof value === 'string')
        if (named || ofEach.test(called)) return undefined
        const own = callee.type === 'MemberExpression' ? callee.object : all.length === 0 && callee
        return (own ? inner(own) : undefined) ?? given.find(isData)
      }
      default:
        // In parentheses, or with its type.
        return 'expression' in node && typeof node.expression === 'object'
          ? inner(node.expression)
          : undefined
    }
  }

  /** The value of a name of the file, or of one that it imports. */
  function readName(name: string, module: Module, depth: number): unknown {
    const node = module.names.get(name)
    if (node?.type !== 'ImportDeclaration') return node && read(node, module, depth)
    const imported = node.specifiers.find(({ local }) => local.name === name)
    const file = load(String(node.source.value), module.path)
    if (!imported || !file || depth > limits.depth) return undefined
    const origin = imported.type === 'ImportSpecifier' ? nameIn(imported.imported) : 'default'
    return readName(origin ?? '', open(file), depth + 1)
  }

  return { open, read, skipped, isWhole: () => isWhole }
}

const isData = (value: unknown) => typeof value === 'object' && value !== null

/** The name that an identifier or a text is, such as that of a field. */
function nameIn(node: AnyNode, isComputed = false): string | undefined {
  if (node.type === 'Literal') return String(node.value)
  return node.type === 'Identifier' && !isComputed ? node.name : undefined
}

/** What a title begins with is its name; what is added to it is not data. */
function startOf(field: AnyNode): string | undefined {
  const node = field.type === 'Property' ? field.value : undefined
  const text = node?.type === 'TemplateLiteral' ? node.quasis[0]?.value.raw : undefined
  return text && /^[\w .-]{3,60}$/.test(text) ? text.trim() : undefined
}

/** What a function with this body returns at once. */
function returned(body: AnyNode): AnyNode | null | undefined {
  if (body.type !== 'BlockStatement') return body
  const [first] = body.body
  return first?.type === 'ReturnStatement' ? first.argument : undefined
}

/** What the names of a program stand for; its default export is `default`. */
function namesIn(body: readonly AnyNode[]): Map<string, AnyNode> {
  const names = new Map<string, AnyNode>()
  const add = (name: string | undefined, node: AnyNode | null | undefined) =>
    name !== undefined && node && names.set(name, node)
  for (const statement of body) {
    const node = 'declaration' in statement ? statement.declaration : statement
    if (statement.type === 'ExportDefaultDeclaration') add('default', node)
    if (node?.type === 'FunctionDeclaration') add(node.id?.name, node)
    if (node?.type === 'ImportDeclaration')
      for (const { local } of node.specifiers) add(local.name, node)
    if (node?.type === 'VariableDeclaration')
      for (const { id, init } of node.declarations) add(nameIn(id), init)
    const set = node?.type === 'ExpressionStatement' ? node.expression : undefined
    if (set?.type !== 'AssignmentExpression') continue
    const target = set.left.type === 'MemberExpression' ? set.left.property : set.left
    if (nameIn(target) === 'exports') add('default', set.right)
  }
  return names
}
