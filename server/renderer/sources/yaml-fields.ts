// Reads the fields of a YAML mapping with their lines, so that errors can name the line.
import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { createPlainReader, UnusableNode } from './plain-values.ts'

const maxCharacters = 256 * 1024

export interface YamlField {
  value: unknown
  line: number
  /** The line of a value inside it, by its indexes and names; otherwise that of what is around it. */
  lineAt(...path: (string | number)[]): number
}

interface YamlPlace {
  file: string
  /** Line number of the first line of the text in the file. */
  firstLine: number
}

/**
 * The fields of a mapping by name; empty for an empty text; undefined for YAML that is not a mapping.
 * Throws DeployFailure if it is not valid YAML.
 */
export function readYamlFields(text: string, place: YamlPlace): Map<string, YamlField> | undefined {
  const lines = new LineCounter()
  const document = parse(text, lines, place)
  const lineAt = (offset: number) => place.firstLine + lines.linePos(offset).line - 1
  const [fault] = document.errors
  if (fault !== undefined) {
    throw new DeployFailure(`This is not valid YAML: ${fault.message}`, {
      file: place.file,
      line: lineAt(fault.pos[0]),
    })
  }
  const fields = new Map<string, YamlField>()
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return fields
  if (!isMap(contents)) return undefined
  const { read } = createPlainReader()
  for (const { key, value } of contents.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    const line = lineAt(key.range?.[0] ?? 0)
    const failure = (message: string) => new DeployFailure(message, { file: place.file, line })
    if (fields.has(name))
      throw failure(`This is not valid YAML: ${JSON.stringify(name)} is there twice.`)
    const lineOf = (...path: (string | number)[]): number => {
      for (let length = path.length; length > 0; length--) {
        const node = isCollection(value) && value.getIn(path.slice(0, length), true)
        if (isNode(node) && node.range) return lineAt(node.range[0])
      }
      return line
    }
    const plain = toPlain(() => read(value))
    fields.set(name, {
      line,
      lineAt: lineOf,
      // Fields that nobody reads may have any value.
      get value() {
        if (!(plain instanceof UnusableNode)) return plain
        throw failure(`This YAML cannot be read: ${plain.message}`)
      },
    })
  }
  return fields
}

function parse(text: string, lineCounter: LineCounter, { file, firstLine }: YamlPlace) {
  if (text.length > maxCharacters) {
    const message = `Settings and front matter have at most ${maxCharacters / 1024} KB.`
    throw new DeployFailure(message, { file, line: firstLine })
  }
  try {
    // The library's search for duplicate keys and its own conversion are quadratic.
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false })
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new DeployFailure('This YAML is nested too deeply.', { file, line: firstLine })
  }
}

function toPlain(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnusableNode) return error
    throw error
  }
}
