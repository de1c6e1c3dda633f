// The text of untrusted sources, and the YAML or JSON in it as plain values with their lines, so that errors can name the
// line. Invalid UTF-8 is refused, because guessing the encoding could publish garbage. Values are read from the events of the
// parser, without a tree of nodes (50 MB of YAML take 600 MB), and within bounds: depth, expanded aliases, no objects as keys.
import { isUtf8 } from 'node:buffer'
import {
  boolCoreTag,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml'
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
  /** Is told of fields that are there twice, of which the first is used. Those that cannot be read are text then. */
  onProblem?: (message: string, line: number) => void
}

interface YamlFields {
  fields: Fields
  /** The line of a field, or of what is inside it, by its names and indexes; otherwise that of what is around it. */
  lineAt(...path: (string | number)[]): number
}

/** None in an empty text; undefined for YAML that is not a mapping. Throws DeployFailure if it is not valid YAML. */
export function readYamlFields(text: string, place: YamlPlace): YamlFields | undefined {
  const { file, firstLine } = place
  if (text.length > maxCharacters) {
    const message = `Settings and front matter have at most ${maxCharacters / 1024} KB.`
    throw new DeployFailure(message, { file, line: firstLine })
  }
  const { findPlace, lineAt, value } = readYaml(text, place, 'This YAML cannot be read: ')
  const fields = value ?? {}
  if (!isRecord(fields)) return undefined
  return { fields, lineAt: (...path) => lineAt(findPlace(...path)) }
}

/**
 * The value of a YAML or JSON text. `invalid` begins the message of the DeployFailure that is thrown if it is not valid, or not
 * within the bounds. `maxValues`: with aliases written out. Offsets are those of the `text` that is returned.
 */
export function readYaml(
  written: string,
  place: YamlPlace,
  invalid: string,
  maxValues = 1_000_000,
) {
  const text = /^[^[{]/.test(written) && /\n *[\]}]/.test(written) ? indentEnds(written) : written
  let lineEnds: number[] | undefined
  const lineAt = (offset: number) => {
    lineEnds ??= Array.from(`${text}\n`.matchAll(/\n/g), ({ index }) => index)
    let [low, high] = [0, lineEnds.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((lineEnds[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return place.firstLine + low
  }
  const failure = (message: string, offset: number) =>
    new DeployFailure(message, { file: place.file, line: lineAt(offset) })
  const fault = (message: string, offset: number) => failure(invalid + message, offset)
  const onProblem =
    place.onProblem &&
    ((message: string, offset: number) => place.onProblem?.(message, lineAt(offset)))
  const value = readEvents(text, parse(text, fault), { fault, maxValues, onProblem })
  /** Parsed again when a place is asked for: those of a large document take more memory than its values. */
  let events: Event[] | undefined
  /** The offset of the field or item that a path leads to; otherwise that of what is around it. */
  function findPlace(...path: (string | number)[]): number {
    events ??= parse(text, fault)
    let [at, offset] = [1, startOf(events[1])]
    for (const name of path) {
      const isList = events[at]?.type === EVENT_ID.SEQUENCE
      const isMeant = ({ key }: Part, index: number) =>
        name === (isList ? index : scalarText(text, events?.[key]))
      const part = partsOf(events, at).find(isMeant)
      if (!part) break
      at = part.value
      offset = startOf(events[part.key])
    }
    return offset
  }
  return { value, failure, findPlace, lineAt, text }
}

/** Many write the end of a list as far left as its key, where the parser takes no brackets. Block scalars stay as they are. */
const indentEnds = (text: string): string =>
  text.replaceAll(
    /^( *)(?! )[^\n]*[|>][-+\d]{0,2}[ \t]*(?:#[^\n]*)?$(?:\n(?:\1 [^\n]*|[ \t]*))*|^ *(?=[\]}])/gm,
    (part, blockIndent) => (blockIndent === undefined ? `${part}        ` : part),
  )

type Fault = (message: string, offset: number) => DeployFailure

const maxDepth = 150
const maxAdvisedLine = 1000

/** What to do, by the reason of the parser and the line that it is about. Others are said as they are. */
const advice: readonly [reason: RegExp, line: RegExp, message: string][] = [
  [/^nesting exceeded/, /^/, `It is nested deeper than ${maxDepth} levels.`],
  [/^tab characters/, /^/, 'A line is indented by a tab. Use spaces.'],
  [/end of the stream within a .* quoted/, /^/, 'A quotation mark is not closed. Close it.'],
  [/end of the stream within a flow/, /^/, 'A [ or a { is not closed. Close it.'],
  [/^missed comma|found ','/, /^/, 'One comma has to stand between what is in [ ] or { }.'],
  [
    /^deficient/,
    /^/,
    'A quotation mark or a bracket is not closed, or what is in it is not indented more than its name.',
  ],
  [
    /^bad indentation/,
    /^[ -]*[^:\s]+:[ \t]+(?:[@`%]|[^"'#\n]*:[ \t])/,
    'Put the value in quotes: it has a colon and a space, or begins with a sign that YAML keeps for itself.',
  ],
  [
    /^bad indentation|^end of the stream or/,
    /^/,
    'This line does not continue what is above. Indent lines that belong together alike, and write a colon and a space behind a name.',
  ],
]

function parse(text: string, fault: Fault): Event[] {
  try {
    const events = parseEvents(text, { maxDepth })
    const last = events.findLastIndex(({ type }) => type === EVENT_ID.DOCUMENT)
    if (last > 0) throw fault('It has more than one document.', startOf(events[last + 1]))
    return events
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { mark: { position = 0 } = {}, reason } = error
    const start = text.lastIndexOf('\n', position - 1) + 1
    const line = text.slice(start, start + maxAdvisedLine).split('\n', 1)[0] ?? ''
    const known = advice.find(([about, form]) => about.test(reason) && form.test(line))
    throw fault(known?.[2] ?? `${reason}.`, position)
  }
}

/** The offset of an event; of an alias, that of its sign. */
const startOf = (event?: {
  type: number
  valueStart?: number
  start?: number
  anchorStart?: number
}) => Math.max(0, event?.valueStart ?? event?.start ?? (event?.anchorStart ?? 1) - 1)

const isCollection = (event?: Event) =>
  event?.type === EVENT_ID.SEQUENCE || event?.type === EVENT_ID.MAPPING

/** Of a list or a mapping: the indexes of its first events. In a list, both are the same. */
interface Part {
  key: number
  value: number
}

function* partsOf(events: readonly Event[], at: number): Generator<Part> {
  if (!isCollection(events[at])) return
  const isList = events[at]?.type === EVENT_ID.SEQUENCE
  for (let key = at + 1; events[key]?.type !== EVENT_ID.POP; ) {
    const value = isList ? key : endOf(events, key)
    yield { key, value }
    key = endOf(events, value)
  }
}

/** The index behind what begins at this one. */
function endOf(events: readonly Event[], at: number): number {
  let [depth, index] = [0, at]
  do {
    if (isCollection(events[index])) depth += 1
    if (events[index]?.type === EVENT_ID.POP) depth -= 1
    index += 1
  } while (depth > 0)
  return index
}

interface Bounds {
  fault: Fault
  maxValues: number
  onProblem: ((message: string, offset: number) => void) | undefined
}

function readEvents(text: string, events: readonly Event[], bounds: Bounds): unknown {
  const { fault, maxValues, onProblem } = bounds
  const anchors = new Map<string, { value: unknown; size: number; height: number } | 'open'>()
  let [values, deepest] = [0, 0]

  function count(size: number, depth: number, offset: number): void {
    values += size
    deepest = Math.max(deepest, depth)
    if (depth > maxDepth) throw fault(`It is nested deeper than ${maxDepth} levels.`, offset)
    if (values <= maxValues) return
    throw fault(`It has more than ${maxValues} values, with its aliases written out.`, offset)
  }

  function read(at: number, depth: number): unknown {
    const event = events[at]
    if (!event || !('anchorStart' in event)) return null
    const anchor = text.slice(event.anchorStart, event.anchorEnd)
    if (event.type === EVENT_ID.ALIAS) return readAlias(anchor, depth, event.anchorStart)
    const [before, around] = [values, deepest]
    deepest = depth
    count(1, depth, startOf(event))
    if (anchor !== '') anchors.set(anchor, 'open')
    const value = readContent(at, depth, event)
    const [size, height] = [values - before, deepest - depth]
    if (anchor !== '') anchors.set(anchor, { value, size, height })
    deepest = Math.max(around, deepest)
    return value
  }

  function readAlias(name: string, depth: number, offset: number): unknown {
    const target = anchors.get(name)
    if (target === undefined) throw fault(`There is no anchor &${name} before this alias.`, offset)
    const message = `The alias *${name} refers to a value that contains it: use a $ref instead.`
    if (target === 'open') throw fault(message, offset)
    count(target.size, depth + target.height, offset)
    return target.value
  }

  function readContent(at: number, depth: number, event: Event): unknown {
    if (event.type === EVENT_ID.SCALAR) return scalarValue(text, event)
    const parts = partsOf(events, at)
    if (event.type === EVENT_ID.SEQUENCE)
      return parts.map(({ value }) => read(value, depth + 1)).toArray()
    const fields: Fields = Object.create(null)
    const isTolerant = onProblem !== undefined && depth === 1
    for (const { key, value } of parts) {
      const name = keyText(events[key])
      const isAgain = Object.hasOwn(fields, name)
      const again = `${JSON.stringify(name)} is there twice.`
      if (isAgain && !isTolerant) throw fault(again, startOf(events[key]))
      if (isAgain)
        onProblem?.(`${again} Remove one of them: the first is used.`, startOf(events[key]))
      else fields[name] = isTolerant ? readField(value) : read(value, depth + 1)
    }
    return fields
  }

  /** If its value cannot be read, such as `{{ site.title }}`, its text. */
  function readField(at: number): unknown {
    const end = startOf(events[endOf(events, at)]) || text.length
    return attempt(() => read(at, 2), text.slice(startOf(events[at]), end).trim())
  }

  function keyText(key?: Event): string {
    const name = scalarText(text, key)
    if (name === undefined) throw fault('A key has to be plain text.', startOf(key))
    const isPlain = key?.type === EVENT_ID.SCALAR && key.style === SCALAR_STYLE.PLAIN
    if (name !== '<<' || !isPlain) return name
    const message = 'The merge key << is no part of YAML 1.2: write the fields out, or use a $ref.'
    throw fault(message, startOf(key))
  }

  return read(1, 1)
}

const scalarText = (text: string, event?: Event): string | undefined =>
  event?.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : undefined

const coreTags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag]

/** By the core schema (YAML 1.2.2, section 10.3). Integers become bigint if a JavaScript number cannot represent them. */
function scalarValue(text: string, event: ScalarEvent): unknown {
  const source = getScalarValue(text, event)
  const tag = text.slice(event.tagStart, event.tagEnd)
  const isText =
    tag === '' ? event.style !== SCALAR_STYLE.PLAIN : !/^!!(?:null|bool|int|float)$/.test(tag)
  if (isText) return source
  for (const { resolve, tagName } of coreTags) {
    const value: unknown = resolve(source, tag !== '', tagName)
    if (value === NOT_RESOLVED) continue
    const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
    return isRounded && /^[-+]?\d+$/.test(source) ? BigInt(source) : value
  }
  return source
}
