// Reads the fields of a YAML mapping with their lines, so that errors can name the line.
import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { DeployFailure } from '../../site-files/deploy-failure.ts'

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
  for (const { key, value } of contents.items) {
    if (!isScalar(key)) continue
    const line = lineAt(key.range?.[0] ?? 0)
    const lineOf = (...path: (string | number)[]): number => {
      for (let length = path.length; length > 0; length--) {
        const node = isCollection(value) && value.getIn(path.slice(0, length), true)
        if (isNode(node) && node.range) return lineAt(node.range[0])
      }
      return line
    }
    const plain = toPlain(value, document, { ...place, line })
    fields.set(String(key.value), { line, lineAt: lineOf, value: plain })
  }
  return fields
}

function parse(text: string, lineCounter: LineCounter, { file, firstLine }: YamlPlace) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false })
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new DeployFailure('This YAML is nested too deeply.', { file, line: firstLine })
  }
}

function toPlain(
  node: unknown,
  document: ReturnType<typeof parseDocument>,
  place: { file: string; line: number },
): unknown {
  try {
    return isNode(node) ? node.toJS(document) : null
  } catch (cause) {
    throw new DeployFailure(`This YAML cannot be read: ${(cause as Error).message}`, place)
  }
}
