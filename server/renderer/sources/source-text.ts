// The text of untrusted sources, and the YAML or JSON in it as plain values with their lines, so that errors can name the
// line. Invalid UTF-8 is refused, because guessing the encoding could publish garbage. Values are read within bounds (depth,
// expanded aliases, no objects as keys; the YAML library's own conversion is exponential for some documents).
import { isUtf8 } from 'node:buffer'
import {
  type Alias,
  type DocumentOptions,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParseOptions,
  parseDocument,
  type SchemaOptions,
} from 'yaml'
import { DeployFailure } from '../site-files/site-file.ts'
import { attempt, type Fields, isRecord } from './plain-values.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text without a byte order mark, with `\n` as line endings. Throws DeployFailure with the line. */
export function decodeSource(bytes: Uint8Array, file: string): string {
  try {
    return decoder.decode(bytes).replaceAll(/\r\n?/g, '\n')
  } catch {
    // Line feeds are no part of other characters, so that each line can be checked alone.
    const lines = Buffer.from(bytes).toString('latin1').split('\n')
    const line = lines.findIndex((text) => !isUtf8(Buffer.from(text, 'latin1'))) + 1
    throw new DeployFailure('This is not UTF-8 text. Save the file as UTF-8.', { file, line })
  }
}

const maxCharacters = 256 * 1024

interface YamlPlace {
  file: string
  /** Line number of the first line of the text in the file. */
  firstLine: number
  /** Is told of fields that are there twice, of which the first is used. Those that cannot be read are text. Without it, both fail. */
  onProblem?: (message: string, line: number) => void
}

interface YamlFields {
  fields: Fields
  /** The line of a field, or of what is inside it, by its names and indexes; otherwise that of what is around it. */
  lineAt(...path: (string | number)[]): number
}

/** None in an empty text; undefined for YAML that is not a mapping. Throws DeployFailure if it is not valid YAML. */
export function readYamlFields(text: string, place: YamlPlace): YamlFields | undefined {
  const { file, firstLine, onProblem } = place
  if (text.length > maxCharacters) {
    const message = `Settings and front matter have at most ${maxCharacters / 1024} KB.`
    throw new DeployFailure(message, { file, line: firstLine })
  }
  const { contents, findPlace, lineAt } = parseYaml(text, place, 'This is not valid YAML: ')
  const read = createPlainReader((message, offset) => {
    const line = lineAt(offset)
    return new DeployFailure(`This YAML cannot be read: ${message}`, { file, line })
  })
  const lines = { lineAt: (...path: (string | number)[]) => lineAt(findPlace(...path).offset) }
  if (!onProblem || !isMap(contents)) {
    const value = read(contents) ?? {}
    return isRecord(value) ? { fields: value, ...lines } : undefined
  }
  const fields: Fields = Object.create(null)
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (Object.hasOwn(fields, name)) {
      const message = `${JSON.stringify(name)} is there twice. Remove one of them: the first is used.`
      onProblem(message, lineAt(startOf(key)))
      continue
    }
    // As `{{ site.title }}`.
    const [start, end] = (isNode(value) && value.range) || [0, 0]
    fields[name] = attempt(() => read(value), text.slice(start, end).trim())
  }
  return { fields, ...lines }
}

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)

/** `invalid` begins the message of the DeployFailure that it throws if the text is not valid. */
export function parseYaml(
  text: string,
  { file, firstLine }: YamlPlace,
  invalid: string,
  options?: ParseOptions & DocumentOptions & SchemaOptions,
) {
  const lineCounter = new LineCounter()
  const lineAt = (offset: number) => firstLine + lineCounter.linePos(offset).line - 1
  // The plain reader finds duplicate keys; the library's search is quadratic.
  const unchecked = { lineCounter, prettyErrors: false, uniqueKeys: false }
  const { contents, errors } = parseDocument(text, { ...unchecked, ...options })
  const [error] = errors
  if (error !== undefined) {
    const isDeep = error.code === 'RESOURCE_EXHAUSTION'
    const message = invalid + (isDeep ? 'It is nested too deeply.' : error.message)
    throw new DeployFailure(message, { file, line: lineAt(error.pos[0]) })
  }
  /** Where the field or item is that a path leads to, and its number as written; otherwise where what is around it is. */
  function findPlace(...path: (string | number)[]) {
    let node: unknown = contents
    let offset = startOf(node)
    for (const name of path) {
      const pairs = isMap(node) ? node.items : []
      const pair = pairs.find(({ key }) => isScalar(key) && String(key.value) === name)
      node = isSeq(node) ? node.items[Number(name)] : pair?.value
      if (!pair && !isNode(node)) break
      offset = startOf(pair?.key ?? node)
    }
    return { offset, source: isScalar(node) ? node.source : undefined }
  }
  return { contents, findPlace, lineAt }
}

const maxDepth = 150

interface Measured {
  value: unknown
  size: number
  height: number
}

/**
 * Reads the nodes of one document, in its order. Integers become bigint if a JavaScript number cannot represent them. The
 * function throws what `failure` returns. `maxValues`: with aliases expanded.
 */
export function createPlainReader(
  failure: (message: string, offset: number) => DeployFailure,
  maxValues = 1_000_000,
) {
  const anchors = new Map<string, Measured | 'open'>()
  const fault = (message: string, node: unknown) => failure(message, startOf(node))

  function read(node: unknown, depth: number): Measured {
    const anchor = isNode(node) && !isAlias(node) ? node.anchor : undefined
    if (anchor !== undefined) anchors.set(anchor, 'open')
    const measured = depth > maxDepth ? measure(null) : readContent(node, depth)
    if (depth + measured.height > maxDepth)
      throw fault(`It is nested deeper than ${maxDepth} levels.`, node)
    if (measured.size > maxValues)
      throw fault(`It has more than ${maxValues} values, with its aliases written out.`, node)
    if (anchor !== undefined) anchors.set(anchor, measured)
    return measured
  }

  function readContent(node: unknown, depth: number): Measured {
    if (isAlias(node)) return targetOf(node)
    if (isSeq(node)) {
      const children = node.items.map((item) => read(item, depth + 1))
      return measure(
        children.map(({ value }) => value),
        children,
      )
    }
    if (!isMap(node)) return measure(scalarValue(node))
    const value: Record<string, unknown> = Object.create(null)
    const children: Measured[] = []
    for (const { key, value: item } of node.items) {
      const name = keyText(key)
      if (Object.hasOwn(value, name))
        throw fault(`The key ${JSON.stringify(name)} is there twice.`, key)
      const child = read(item, depth + 1)
      value[name] = child.value
      children.push(child)
    }
    return measure(value, children)
  }

  function targetOf(alias: Alias): Measured {
    const target = anchors.get(alias.source)
    if (target === undefined)
      throw fault(`There is no anchor &${alias.source} before this alias.`, alias)
    if (target !== 'open') return target
    const message = `The alias *${alias.source} refers to a value that contains it: use a $ref instead.`
    throw fault(message, alias)
  }

  function keyText(key: unknown): string {
    if (key === null) return 'null'
    if (!isScalar(key)) throw fault('A key has to be plain text.', key)
    if (key.source === '<<' && key.type === 'PLAIN') {
      const message =
        'The merge key << is no part of YAML 1.2: write the fields out, or use a $ref.'
      throw fault(message, key)
    }
    return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
  }

  return (node: unknown): unknown => read(node, 1).value
}

function scalarValue(node: unknown): unknown {
  const value = isScalar(node) ? node.value : null
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function measure(value: unknown, children: readonly Measured[] = []): Measured {
  return {
    value,
    size: children.reduce((sum, { size }) => sum + size, 1),
    height: children.reduce((most, { height }) => Math.max(most, height + 1), 1),
  }
}
