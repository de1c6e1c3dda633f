// Replaces what pages include of other files of the folder, before the Markdown is parsed, as mdBook, VitePress, MkDocs, FastAPI,
// MyST, Hugo, GitBook and MDX do: whole files, lines, and parts between two marks. Nothing is read but the sources of the deploy.
// Depth, size and loops are bounded; what is not there is left out, and reported with its line.
import { folderOf, isMarkdown, joinPath } from './addresses.ts'

/** `line` counts from 0 in the text of the page. */
type IncludeNote = (kind: 'missing_include' | 'unknown_syntax', what: string, line: number) => void

/** The lines in the place of one. */
type ReplaceLine = (line: string, index: number) => string[]

const maxDepth = 8
const maxPageLength = 2 * 1024 * 1024
/** Of all that is included in the pages of a site. */
const maxSiteLength = 64 * 1024 * 1024
/** Even an empty file counts. */
const costOfInclude = 1000
/** Of one include. */
const maxRanges = 50

/** Lines of a file, from 0. */
interface Range {
  from: number
  to: number
}

/** What a page asks for. */
interface Request {
  path: string
  /** The lines of these numbers, or those between two marks with this name; otherwise all. */
  part?: Range[] | string | undefined
  /** It becomes a code block with this behind the ```. `numbered`: lines to highlight, as lines of the file. */
  fence?: { info: string; numbered: Range[] } | undefined
}

/** `2`, `2:10`, `2-10`, `2..10`, `2:`, `:10`, and lists of them. `isOpen`: `2` is from there on, as in MkDocs. */
function rangesOf(text: string | undefined, isOpen = false): Range[] {
  return (text?.split(',', maxRanges) ?? []).map((range) => {
    const [from = '', to = isOpen ? '' : from] = range.trim().split(/[:-]|\.+/)
    return { from: Math.max(0, Number(from) - 1), to: Number(to) || Number.POSITIVE_INFINITY }
  })
}

/** Options behind a path: `ln[1:5]`, `code="true"`, and `:lines: 2-3` in lines of their own. */
const option = /([a-z][\w-]{0,40})(?:\[([^\]\n]{0,200})\]|="?([\w+-]{0,50})|:[ \t]*(.*))/g

/** From the named groups of a form, with `options` in any notation. */
function requestOf({ options = '', ...groups }: Partial<Record<string, string>>): Request {
  const given = options.matchAll(option).map(([, name = '', ...values]) => [name, values.join('')])
  const all: typeof groups = { ...groups, ...Object.fromEntries(given) }
  const { between, code = 'false', hl, isOpen, path = '', part } = all
  const { lines = between?.replace(',', ':'), ln = lines } = all
  const { caption, language, lang = language, title = caption } = all
  const { marked = all['emphasize-lines'] } = all
  const isRange = part && /^[\d:,\s]+$/.test(part)
  const ranges = ln || isRange ? rangesOf(ln || part, isOpen !== undefined) : undefined
  const extension = /\.(\w+)$/.exec(path)?.[1]?.replace(/^rs$/, 'rust') ?? ''
  const named = title ? ` title="${title.replaceAll('"', '')}"` : ''
  const info = `${lang || extension}${named}${marked?.trim() ? ` {${marked.trim()}}` : ''}`
  const fence = code !== 'false' ? { info, numbered: rangesOf(hl) } : undefined
  return { path, part: ranges ?? (part || undefined), fence }
}

/** mdBook: {{#include a.rs:2:10}}, within a line, too. */
const mdBook = String.raw`\{\{#(?:include|rustdoc_include|(?<code>playground|playpen))[ \t]+(?<path>[^\s:{}]{1,300})(?::(?<part>[^\s{}]{0,200}))?(?:[ \t][^{}\n]{0,300})?\}\}`
const mdBookInside = new RegExp(String.raw`\\(?<escaped>\{\{#)|${mdBook}`, 'g')

/** Those that are a line of their own. They are not read in code, which may show them. */
const forms = [
  // VitePress: <<< @/a.ts#region{2,3 js} [title]
  /^(?<code><<<)[ \t]+(?<path>[^\s#{[]{1,300})(?:#(?<part>[\w-]{1,100}))?(?:\{(?<marked>[\d,\s-]{0,100})(?<language>[^}\n]{0,100})\})?[ \t]*(?:\[(?<title>[^\]\n]{1,100})\])?$/,
  // FastAPI: {* a.py ln[1:5] hl[2] *}
  /^\{(?<code>\*)[ \t]*(?<path>[^\s{}*[\]]{1,300})(?<options>(?:[ \t]+\w+\[[^\]\n]{0,200}\])*)[ \t]*\*\}$/,
  // MDX: <Part name="value" />
  /^<(?<name>[A-Z]\w*)(?<values>[ \t][^<>]*)?(?:\/>|><\/\k<name>>)$/,
  // Hugo: {{% include "/a.md" %}}, {{< readfile file="a.yaml" code="true" lang="yaml" >}}; GitBook and Jekyll: {% include "a.md" %}
  /^\{(?:\{[%<]|%)[ \t]*(?:include|readfile)[ \t]+(?:file=)?["']?(?<path>[^"'\s{}%<>]{1,300})["']?(?<options>[^{}\n]{0,200})(?:[%>]\}|%)\}$/,
]
/** Those that are read in code, too. */
const formsInCode = [
  new RegExp(`^${mdBook}$`),
  // VitePress: <!--@include: ./a.md{1,3}-->
  /^<!--[ \t]*@include:[ \t]*(?<path>[^\s#{]{1,300}?)(?:#(?<part>[\w-]{1,100}))?(?:\{(?<between>\d*,?\d*)\})?[ \t]*-->$/,
  // Snippets of MkDocs: --8<-- "a.md:1:3"
  /^(?<isOpen>-{1,5}8<-{1,5})[ \t]+["'](?<path>[^"':\n]{1,300})(?::(?<part>[^"'\n]{1,100}))?["']$/,
  // MkDocs: {!> a.py!}
  /^\{!>?[ \t]*(?<path>[^\s!{}[\]]{1,300})[ \t]*(?:\[ln:(?<ln>[\d,.: -]{1,100})\][ \t]*)?!\}$/,
]
/** MyST: ```{literalinclude} a.py, then its options in lines of their own, and the same ticks. */
const opening =
  /^(?<indent>[ \t]*)(?<ticks>`{3,}|:{3,})\{(?:include|(?<code>literalinclude))\}[ \t]+(?<path>\S{1,300})[ \t]*$/
/** MDX: import Part from "./part.mdx" */
const moduleImport =
  /^import[ \t]+(\w+)[ \t]+from[ \t]+["'](?:@site|~)?([^"'\s]{1,300}\.(?:mdx?|markdown))["'];?$/i
/** What the forms begin with, for a quick look. */
const hint =
  /^[ \t]*(?:import[ \t]|<[A-Z]|<<<|\{(?:\{[%<]|%)[ \t]*(?:include|readfile)[ \t]|<!--[ \t]*@include|;?-{1,5}8<|\{[!*]|[`:]{3,}\{(?:literal)?include\})|\{\{#/m

/** `sources`: the files that can be included. */
export function createIncludes(sources: ReadonlyMap<string, Uint8Array>) {
  /** Files that a page includes. */
  const included = new Set<string>()
  let left = maxSiteLength

  /** Relative to the file, or to a folder above it. `@/` is the folder of the pages. */
  function find(target: string, from: string): string | undefined {
    const relative = target.replace(/^(?:@\/|\/)/, '')
    for (let folder = folderOf(from); ; folder = folderOf(folder.slice(0, -1))) {
      const path = joinPath(folder, relative)
      if (path !== undefined && sources.has(path)) return path
      if (folder === '') return undefined
    }
  }

  /** The text of a file that `from` names, without front matter; undefined if it is not there, or there is too much. */
  function read(target: string, from: string): { path: string; text: string } | undefined {
    const path = find(target, from)
    const bytes = path === undefined ? undefined : sources.get(path)
    if (path === undefined || !bytes || left < 0) return undefined
    left -= bytes.length + costOfInclude
    included.add(path)
    const text = new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, '\n')
    return { path, text: text.replace(/^---\n[\s\S]*?\n---\n/, '') }
  }

  /** The page with what it includes. `lines`: by line of `text`, that of the page; undefined: nothing was included. */
  function expand(text: string, source: string, note: IncludeNote) {
    if (!hint.test(text)) return { text, lines: undefined }
    let used = 0

    /** `indent`: before each line. */
    function linesOf(request: Request, stack: readonly string[], at: number, indent = '') {
      const { fence, path } = request
      const file = /^https?:/.test(path) ? undefined : read(path, stack.at(-1) ?? source)
      const part = file && partIn(file.text, request.part)
      used += (file?.text.length ?? 0) + (part?.length ?? 0) * indent.length
      const isLoop = file !== undefined && stack.includes(file.path)
      if (isLoop || left < 0 || stack.length > maxDepth || used > maxPageLength) {
        const what = isLoop ? 'a file in itself' : 'too much text'
        note('unknown_syntax', `include of ${what}: ${path}`, at)
        return undefined
      }
      if (!file || !part) {
        // In code it may be that of another program.
        if (/\.\w/.test(path)) note('missing_include', path, at)
        return undefined
      }
      const isText = isMarkdown(file.path) || file.path.endsWith('.txt')
      const replace = isText ? within([...stack, file.path], at) : (line: string) => [line]
      const lines = fence
        ? fenced(part, fence)
        : part.flatMap((line, index) => replace(line.text, index))
      return lines.map((line) => (line === '' ? line : indent + line))
    }

    /** Replaces what the lines of one file include, in order. */
    function within(stack: readonly string[], at?: number): ReplaceLine {
      let fence = ''
      /** Paths of imported files by their names. */
      const imports = new Map<string, string>()
      return (line, index) => {
        const ticks = /^[ \t>]*(`{3,}|~{3,})([^`]*)$/.exec(line)
        if (ticks && fence === '') fence = ticks[1] ?? ''
        else if (ticks?.[1]?.startsWith(fence) && ticks[2]?.trim() === '') fence = ''
        if (!hint.test(line) || line.length > 5000) return [line]
        const text = line.trim()
        const indent = line.slice(0, line.indexOf(text))
        if (text.startsWith(';')) return [indent + text.slice(1)]
        const place = at ?? index
        const [, name, file] = (fence === '' && moduleImport.exec(text)) || []
        if (name && file) imports.set(name, file)
        const possible = fence === '' ? [...formsInCode, ...forms] : formsInCode
        const groups = possible.map((form) => form.exec(text)?.groups).find((found) => found)
        const { path = imports.get(groups?.name ?? ''), values = '' } = groups ?? {}
        // In code, it may be the syntax of something else.
        if (path !== undefined) {
          const lines = linesOf(requestOf({ ...groups, path }), stack, place, indent)
          const constants = values
            .matchAll(/(\w+)=(?:("[^"]*"|'[^']*')|\{([^{}]*)\})/g)
            .flatMap(([, name, ...value]) => [`export const ${name} = ${value.join('')}`, ''])
          return lines ? [...constants, ...lines] : fence === '' ? [] : [line]
        }
        return line
          .replaceAll(mdBookInside, (whole, ...rest) => {
            const { escaped, ...groups } = rest.at(-1)
            if (escaped) return escaped
            return linesOf(requestOf(groups), stack, place)?.join('\n') ?? whole
          })
          .split('\n')
      }
    }

    const out: { line: string; from: number }[] = []
    const replace = within([source])
    const given = text.split('\n')
    for (let index = 0; index < given.length; index++) {
      const from = index
      const { groups: { indent = '', ticks, ...groups } = {} } =
        opening.exec(given[from] ?? '') ?? {}
      const next = given.slice(from + 1, ticks === undefined ? from : from + 30)
      const length = next.findIndex((line) => line.trim() === ticks)
      const options = next.slice(0, Math.max(0, length)).join('\n')
      const found =
        length < 0 ? undefined : linesOf(requestOf({ ...groups, options }), [source], from, indent)
      if (found) index += length + 1
      for (const line of found ?? replace(given[from] ?? '', from)) out.push({ line, from })
    }
    return {
      text: out.map(({ line }) => line).join('\n'),
      lines: out.map(({ from }) => from),
    }
  }

  return { expand, included: included as ReadonlySet<string> }
}

interface NumberedLine {
  text: string
  number: number
}

function fenced(part: NumberedLine[], { info, numbered }: NonNullable<Request['fence']>): string[] {
  const marked = part.flatMap(({ number }, index) =>
    numbered.some(({ from, to }) => number >= from && number < to) ? [index + 1] : [],
  )
  const ticksIn = part.map(({ text }) => /^\s*(`+)/.exec(text)?.[1]?.length ?? 0)
  const ticks = '`'.repeat(ticksIn.reduce((most, each) => Math.max(most, each), 2) + 1)
  const marks = marked.length > 0 ? ` {${marked.join()}}` : ''
  return [ticks + info + marks, ...part.map(({ text }) => text), ticks]
}

/** The marks of parts in all notations: of mdBook, MkDocs, and the regions of editors. */
const marks =
  /(?:ANCHOR|ANCHOR_END):[ \t]*[\w-]+|--8<--[ \t]*\[(?:start|end):|^[ \t]*(?:\/\/|\/\*|<!--|--|\{\/\*)?[ \t]*#(?: ?(?:end)?region|(?:pragma )?(?:End|end)? ?[Rr]egion)\b/
const isMarked = ({ text }: NumberedLine) => text.length < 500 && marks.test(text)

/** Undefined: there is no such part. Marks of parts are left out. */
function partIn(text: string, part: Request['part']): NumberedLine[] | undefined {
  const lines = text.replace(/\n+$/, '').split('\n')
  const all = lines.map((line, number) => ({ text: line, number }))
  const shown = all.filter((line) => !isMarked(line))
  if (typeof part !== 'string')
    return shown.filter(
      ({ number }) => !part || part.some(({ from, to }) => number >= from && number < to),
    )
  const name = `${part.replaceAll(/[^\w-]/g, '')}(?![\\w-])`
  const start = new RegExp(
    `(?:ANCHOR:[ \\t]*|\\[start:[ \\t]*|(?<!end_?)region[ \\t]+)${name}`,
    'i',
  )
  const stop = new RegExp(
    `(?:ANCHOR_END:[ \\t]*|\\[end:[ \\t]*|endregion[ \\t]*)${name}|endregion[ \\t]*(?:-->|\\*/)?$`,
    'i',
  )
  const first = all.findIndex((line) => isMarked(line) && start.test(line.text))
  const last = all.findIndex(
    (line) => line.number > first && isMarked(line) && stop.test(line.text),
  )
  const inside = shown.filter(({ number }) => number > first && (last < 0 || number < last))
  const indents = inside.map((line) => line.text.search(/\S/)).filter((indent) => indent >= 0)
  const width = indents.reduce((least, each) => Math.min(least, each), 100)
  const moved = inside.map((line) => ({ ...line, text: line.text.slice(width) }))
  return first < 0 ? undefined : moved
}
