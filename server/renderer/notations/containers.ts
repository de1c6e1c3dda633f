// Blocks between lines of colons, slashes or backticks: `::: tip Title` (VitePress), `:::note[Title]{#id}` (Docusaurus,
// Starlight, remark-directive), `:::{tip} Title` and ` ```{tip} Title ` (MyST), `/// tip | Title` (pymdownx.blocks).
import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'
import {
  type Box,
  calloutOf,
  closeBox,
  fillBox,
  type Lines,
  type MarkdownEnv,
  mayNest,
  openBox,
  tokenizeLines,
} from '../markdown/boxes.ts'
import { type BoxOptions, boxNamed } from './box-names.ts'
import { isDirective, pushDirective } from './directives.ts'
import {
  interrupting,
  isIndented,
  lineAt,
  oncePerSource,
  placeOf,
  pushParagraph,
  textOf,
} from './source-lines.ts'

export function addContainers(md: Parser): void {
  md.block.ruler.before('code', 'containers', containerRule, interrupting)
}

const opening =
  /^(:{3,}|\/{3,}|`{3,}|~{3,})[ \t]*(?:\{([^{}\n]+)\}|([\p{L}\w][\p{L}\w-]*))[ \t]*([^\n]*)$/u
const closing = /^(?::{3,}|\/{3,}|`{3,}|~{3,})$/
/** Quote marks and list markers before a block, its text. */
const prefixed = /^((?:[ \t]*>)*)[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*([^\n]*)/
const maxOpen = 100

interface Container {
  marks: string
  quotes: number
  /** Where its closing line begins; undefined if there is none. */
  end?: number
}

/** The opening line of a container. */
interface Head {
  marks: string
  name: string
  /** In braces: a directive of MyST, or attributes of Pandoc. */
  isBraced: boolean
  attributes: string
  rest: string
}

function readHead(line: string): Head | undefined {
  const [, marks, braced, plain = '', rest = ''] = opening.exec(line) ?? []
  if (marks === undefined) return undefined
  const [name = ''] = braced
    ?.trim()
    .replace(/^\.(?:callout-)?/, '')
    .split(/\s/) ?? [plain]
  const head = { marks, name, isBraced: braced !== undefined, attributes: braced ?? '', rest }
  const isFence = marks.startsWith('`') || marks.startsWith('~')
  return isFence && !(head.isBraced && !rest.includes('`') && isDirective(name)) ? undefined : head
}

const containersOf = oncePerSource(findContainers)

/** All containers of the source, by where their opening line begins, found in one pass that skips code. */
function findContainers(src: string): Map<number, Container> {
  const containers = new Map<number, Container>()
  const open: Container[] = []
  let fence: string | undefined
  let next = 0
  for (const line of src.split('\n')) {
    const start = next
    next += line.length + 1
    if (!/[:/`~]{3}/.test(line)) continue
    const [, prefix = '', text = ''] = prefixed.exec(line) ?? []
    const trimmed = text.trimEnd()
    const fenceMarks = /^(?:`{3,}|~{3,})/.exec(trimmed)?.[0]
    if (fence !== undefined) {
      if (fenceMarks?.startsWith(fence) && fenceMarks === trimmed) fence = undefined
      continue
    }
    const place = start + line.length - text.length
    const quotes = prefix.split('>').length - 1
    while ((open.at(-1)?.quotes ?? 0) > quotes) open.pop()
    const at = closing.test(trimmed)
      ? open.findLastIndex((one) => one.quotes === quotes && trimmed.startsWith(one.marks))
      : -1
    const head = at < 0 ? readHead(trimmed) : undefined
    if (at >= 0) {
      const [container] = open.splice(at)
      if (container) container.end = place
    } else if (head) {
      const container = { marks: head.marks, quotes }
      containers.set(place, container)
      if (open.length < maxOpen) open.push(container)
    } else if (fenceMarks && !trimmed.slice(fenceMarks.length).includes('`')) fence = fenceMarks
  }
  return containers
}

/** An unclosed block ends with its parent. */
function containerRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const place = placeOf(state, start)
  if (!':/`~'.includes(state.src[place] ?? ' ') || isIndented(state, start)) return false
  const container = containersOf(state).get(place)
  const head = container && readHead(textOf(state, start))
  if (!head || !mayNest(state)) return false
  const { note } = state.env as MarkdownEnv
  const close = container?.end === undefined ? end : lineAt(state, container.end)
  const to = Math.min(close, end)
  const { from, options } = readOptions(state, head, { from: start + 1, to })
  const named = boxOf(head, options)
  const box = named ?? (container?.end === undefined ? undefined : foreignCallout(head))
  const [, id] = /\{[^{}]*#([\w.-]{1,100})[^{}]*\}$/.exec(`{${head.attributes}}${head.rest}`) ?? []
  if (id && box && 'title' in box && box.title) box.title = `<a id="${id}"></a>${box.title}`
  const isKnown = box !== undefined || (head.isBraced && isDirective(head.name))
  if (!isKnown && container?.end === undefined) return mkdocstringsRule(state, start, end, silent)
  if (silent) return true
  const first = state.tokens.length
  if (box) fillContainer(state, box, start, { from, to })
  else if (isKnown) pushDirective(state, { ...head, argument: head.rest, options, start, from, to })
  else {
    note?.('component', `${head.marks.slice(0, 3)} ${head.name}`, start)
    tokenizeLines(state, { from, to })
  }
  if (head.name === 'v-pre') {
    for (const token of state.tokens.slice(first)) token.meta = { ...token.meta, isLiteral: true }
  }
  state.line = Math.min(close + 1, end)
  return true
}

/** `::: package.module` with indented options: documentation from the source code of Python, of which only the name is there. */
function mkdocstringsRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const [, name] = /^::: ?([\w.]+)$/.exec(textOf(state, start)) ?? []
  let line = start + 1
  while (line < end && !state.isEmpty(line) && isIndented(state, line)) line += 1
  if (name === undefined || !(name.includes('.') || line > start + 1)) return false
  if (silent) return true
  const { note } = state.env as MarkdownEnv
  note?.('component', '::: (mkdocstrings)', start)
  pushParagraph(state, `\`${name}\``, start)
  state.line = line
  return true
}

/** The lines that set options of a block, which it begins with: `:name: value`, or `    name: value` after slashes. */
function readOptions(state: StateBlock, head: Head, { from, to }: Lines) {
  const options: Record<string, string> = {}
  const form = head.marks.startsWith('/') ? /^(\w+):[ \t]*(.*)$/ : /^:([\w-]+):[ \t]*(.*)$/
  let line = from
  for (; line < to && (head.isBraced || isIndented(state, line)); line += 1) {
    const match = form.exec(textOf(state, line))
    if (!match) break
    options[match[1] ?? ''] = match[2] ?? ''
  }
  return { from: line, options }
}

const versions: Record<string, string> = {
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version',
}

/** The box of a head; undefined if its name is not known. */
function boxOf(head: Head, given: Record<string, string>): Box | undefined {
  const { name, isBraced, attributes, rest } = head
  const bracketed = /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\](?:\{([^{}]*)\})?/.exec(rest)
  const plain = /^([^{}]*(?:\{[^{}]*\}[^{}]+)*)(?:\{([^{}]*)\})?$/.exec(rest)
  const title = bracketed ? bracketed[1] : (plain?.[1] ?? rest).replace(/^\|/, '')
  const settings = `${attributes} ${bracketed?.[2] ?? plain?.[2] ?? ''}`
  const named = /\b(?:title|label)=(?:"([^"]*)"|'([^']*)')/.exec(settings)
  const options: BoxOptions = {
    title: title?.trim() || (named?.[1] ?? named?.[2]),
    href: given.link,
    isOpen: /\bopen\b/.test(settings) || /^(?:true|)$/i.test(given.open ?? 'no'),
  }
  const version = isBraced && Object.hasOwn(versions, name) ? versions[name] : undefined
  if (version !== undefined) {
    return { kind: 'callout', tone: 'note', title: `${version} ${options.title ?? ''}` }
  }
  if (name === 'admonition') {
    return calloutOf([given.type ?? given.class ?? ''], options.title ?? '')
  }
  return boxNamed(name, options)
}

/** After slashes, callouts have names in the language of the page. */
function foreignCallout({ marks, name, rest }: Head): Box | undefined {
  if (!marks.startsWith('/') || /^(?:html|define|caption)/.test(name)) return undefined
  return { kind: 'callout', tone: 'note', title: rest.replace(/^\|/, '').trim() || name }
}

/** Tabs may be divided by lines such as `== Title`. */
function fillContainer(state: StateBlock, box: Box, start: number, { from, to }: Lines): void {
  const starts: number[] = []
  for (let line = from; box.kind === 'tabs' && line < to; line += 1) {
    if (textOf(state, line).startsWith('== ')) starts.push(line)
  }
  openBox(state, box, start, { key: '(filled)' })
  tokenizeLines(state, { from, to: starts[0] ?? to })
  for (const [index, line] of starts.entries()) {
    const title = textOf(state, line).replace(/^==\s+(?:tab\b)?\s*/, '')
    const lines = { from: line + 1, to: starts[index + 1] ?? to }
    fillBox(state, { kind: 'tab', title }, line, lines)
  }
  closeBox(state, '(filled)')
}
