// Reads the nodes of an untrusted YAML or JSON document as plain values, within bounds (depth, expanded aliases, no
// objects as keys; the YAML library's own conversion is exponential for some documents).
import { isAlias, isMap, isScalar, isSeq } from 'yaml'

/** `values`: their number, with aliases expanded. */
const limits = { depth: 150, values: 1_000_000 }

/** An error in the document and its position. */
export class UnusableNode extends Error {
  override readonly name = 'UnusableNode'
  readonly offset: number | undefined

  constructor(message: string, offset: number | undefined) {
    super(message)
    this.offset = offset
  }
}

interface Measured {
  value: unknown
  size: number
  height: number
}

/**
 * Reads the nodes of one document, in its order. `refs` has the offset of the first `$ref` by its text. Integers become
 * bigint if a JavaScript number cannot represent them. `read` throws UnusableNode.
 */
export function createPlainReader() {
  const anchors = new Map<string, Measured | 'open'>()
  const refs = new Map<string, number>()

  function bounded(measured: Measured, depth: number, node: unknown): Measured {
    if (depth + measured.height > limits.depth) {
      throw new UnusableNode(`It is nested deeper than ${limits.depth} levels.`, offsetOf(node))
    }
    if (measured.size > limits.values) {
      throw new UnusableNode(
        `It has more than ${limits.values} values, with its aliases written out.`,
        offsetOf(node),
      )
    }
    return measured
  }

  function read(node: unknown, depth: number): Measured {
    if (depth > limits.depth) bounded({ value: null, size: 1, height: 1 }, depth, node)
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target === undefined || target === 'open') {
        throw new UnusableNode(
          target === 'open'
            ? `The alias *${node.source} refers to a value that contains it: use a $ref instead.`
            : `There is no anchor &${node.source} before this alias.`,
          offsetOf(node),
        )
      }
      return bounded(target, depth, node)
    }
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined
    if (anchor !== undefined) anchors.set(anchor, 'open')
    const measured = bounded(readContent(node, depth), depth, node)
    if (anchor !== undefined) anchors.set(anchor, measured)
    return measured
  }

  function readContent(node: unknown, depth: number): Measured {
    if (isSeq(node)) {
      const children = node.items.map((item) => read(item, depth + 1))
      return { value: children.map((child) => child.value), ...sumOf(children) }
    }
    if (!isMap(node)) return { value: scalarValue(node), size: 1, height: 1 }
    const value: Record<string, unknown> = Object.create(null)
    const children: Measured[] = []
    for (const { key, value: item } of node.items) {
      const name = keyText(key)
      if (Object.hasOwn(value, name)) {
        throw new UnusableNode(`The key ${JSON.stringify(name)} is there twice.`, offsetOf(key))
      }
      const child = read(item, depth + 1)
      value[name] = child.value
      children.push(child)
      if (name === '$ref' && typeof child.value === 'string' && !refs.has(child.value)) {
        refs.set(child.value, offsetOf(item) ?? 0)
      }
    }
    return { value, ...sumOf(children) }
  }

  return { read: (node: unknown): unknown => read(node, 1).value, refs }
}

function keyText(key: unknown): string {
  if (key === null) return 'null'
  if (!isScalar(key)) throw new UnusableNode('A key has to be plain text.', offsetOf(key))
  if (key.source === '<<' && key.type === 'PLAIN') {
    throw new UnusableNode(
      'The merge key << is no part of YAML 1.2: write the fields out, or use a $ref.',
      offsetOf(key),
    )
  }
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function scalarValue(node: unknown): unknown {
  const value = isScalar(node) ? node.value : null
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function sumOf(children: Measured[]): { size: number; height: number } {
  let size = 1
  let height = 0
  for (const child of children) {
    size += child.size
    height = Math.max(height, child.height)
  }
  return { size, height: height + 1 }
}

function offsetOf(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range?.[0] : undefined
}
