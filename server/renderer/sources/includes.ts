// Replaces what pages include of other files of the folder, before the Markdown is parsed, as mdBook, VitePress, MkDocs, FastAPI,
// MyST, Hugo and GitBook do: whole files, lines, and parts between two marks. Nothing is read but the sources of the deploy. Depth, size and
// loops are bounded; what is not there is left out, and reported with its line.
import { folderOf, joinPath } from './addresses.ts'

/** `line` counts from 0 in the text of the page. */
export type IncludeNote = (kind: 'include' | 'syntax', what: string, line: number) => void

export interface Included {
  text: string
  /** By line of `text`, the line of the page that it comes from; undefined: nothing was included. */
  lines: number[] | undefined
}

const maxDepth = 8
const maxPageLength = 2 * 1024 * 1024
/** Of all that is included in the pages of a site. */
const maxSiteLength = 64 * 1024 * 1024
/** Even an empty file counts. */
const costOfInclude = 1000
/** Of one include. */
const maxRanges = 50

/** What a page asks for. */
interface Request {
  path: string
  /** The part: lines from 0, or the text between two marks with this name. */
  part?: { from: number; to: number }[] | { name: string } | undefined
  /** It becomes a code block with this behind the ```. `numbered`: lines to highlight, as numbers of the file. */
  fence?: { info: string; numbered?: { from: number; to: number }[] } | undefined
}

const oneLine = (text: string) => Math.max(0, Number(text) - 1)
const end = (text: string | undefined) => (text ? Number(text) : Number.POSITIVE_INFINITY)

/** `2`, `2:10`, `2:`, `:10` of mdBook, or the name of an anchor. `isOpen`: `2` is from there on, as in MkDocs. */
function partOf(text: string | undefined, isOpen = false): Request['part'] {
  if (!text) return undefined
  if (!/^[\d:,\s]+$/.test(text)) return { name: text }
  return text.split(',', maxRanges).map((range) => {
    const [from = '', to] = range.trim().split(':')
    return { from: oneLine(from), to: to === undefined && !isOpen ? end(from) : end(to) }
  })
}

/** `1-3,5` and `1:3,5`. */
function rangesOf(text: string): { from: number; to: number }[] {
  const found = text.matchAll(/(\d{1,6})(?:[:-](\d{1,6}))?/g).take(maxRanges)
  return [...found.map(([, from = '', to]) => ({ from: oneLine(from), to: end(to ?? from) }))]
}

const languageOf = (path: string) => /\.(\w+)$/.exec(path)?.[1] ?? ''

/** mdBook: `{{#include a.rs:2:10}}`. Within a line, and in code, too. */
const mdBook =
  /(\\?)\{\{#(include|rustdoc_include|playground|playpen|title)[ \t]+([^{}\n]{1,300}?)[ \t]*\}\}/

function ofMdBook(name: string, target: string): Request {
  const [, path = '', rest] = /^([^\s:]+)(?::(\S*))?/.exec(target) ?? []
  const isPlayground = name.startsWith('play')
  return { path, part: partOf(rest), fence: isPlayground ? { info: 'rust' } : undefined }
}

interface Form {
  pattern: RegExp
  /** Whether it is read in code blocks, too. */
  inCode: boolean
  read(match: RegExpExecArray): Request
}

/** Those that are a line of their own, by what they begin with. */
const forms: Form[] = [
  {
    // VitePress: <<< @/a.ts#region{2,3 js} [title]
    pattern:
      /^<<<[ \t]+([^\s#{[]{1,300})(?:#([\w-]{1,100}))?(?:\{([^}\n]{0,100})\})?[ \t]*(?:\[([^\]\n]{1,100})\])?$/,
    inCode: false,
    read([, path = '', region, info = '', title]) {
      const [, lines = '', language = ''] = /^([\d,\s-]*)(.*)$/.exec(info) ?? []
      const marked = lines.trim() === '' ? '' : ` {${lines.trim()}}`
      const fence = {
        info: `${language || languageOf(path)}${marked}${title ? ` [${title}]` : ''}`,
      }
      return { path, part: region ? { name: region } : undefined, fence }
    },
  },
  {
    // VitePress: <!--@include: ./a.md{1,3}-->
    pattern:
      /^<!--[ \t]*@include:[ \t]*([^\s#{]{1,300}?)(?:#([\w-]{1,100}))?(?:\{(\d*)(,?)(\d*)\})?[ \t]*-->$/,
    inCode: true,
    read([, path = '', region, from = '', comma, to]) {
      const lines = [{ from: oneLine(from), to: comma ? end(to) : end(from) }]
      return { path, part: region ? { name: region } : from || to ? lines : undefined }
    },
  },
  {
    // Snippets of MkDocs: --8<-- "a.md:1:3"
    pattern: /^-{1,5}8<-{1,5}[ \t]+["']([^"':\n]{1,300})(?::([^"'\n]{1,100}))?["']$/,
    inCode: true,
    read: ([, path = '', part]) => ({ path, part: partOf(part, true) }),
  },
  {
    // MkDocs: {!> a.py!}
    pattern: /^\{!>?[ \t]*([^\s!{}[\]]{1,300})[ \t]*(?:\[ln:([\d,.: -]{1,100})\][ \t]*)?!\}$/,
    inCode: true,
    read: ([, path = '', lines]) => ({
      path,
      part: lines ? rangesOf(lines.replaceAll('.', ':')) : undefined,
    }),
  },
  {
    // FastAPI: {* a.py ln[1:5] hl[2] *}
    pattern: /^\{\*[ \t]*([^\s{}*[\]]{1,300})((?:[ \t]+\w+\[[^\]\n]{0,200}\])*)[ \t]*\*\}$/,
    inCode: false,
    read([, path = '', options = '']) {
      const option = (name: string) => new RegExp(`\\b${name}\\[([^\\]]*)\\]`).exec(options)?.[1]
      const title = option('title')
      const info = `${languageOf(path)}${title ? ` title="${title.replaceAll('"', '')}"` : ''}`
      const lines = option('ln')
      return {
        path,
        part: lines ? rangesOf(lines) : undefined,
        fence: { info, numbered: rangesOf(option('hl') ?? '') },
      }
    },
  },
  {
    // Hugo: {{% include "/a.md" %}}, {{< readfile file="a.yaml" code="true" lang="yaml" >}}; GitBook and Jekyll: {% include "a.md" %}
    pattern:
      /^\{(?:\{[%<]|%)[ \t]*(?:include|readfile)[ \t]+(?:file=)?["']?([^"'\s{}%<>]{1,300})["']?([^{}\n]{0,200})(?:[%>]\}|%)\}$/,
    inCode: false,
    read([, path = '', options = '']) {
      const language = /\blang="?([\w+-]{1,50})/.exec(options)?.[1] ?? languageOf(path)
      return { path, fence: /\bcode="?true/.test(options) ? { info: language } : undefined }
    },
  },
]
/** What the forms begin with, for a quick look at each line. */
const hint =
  /^[ \t]*(?:<<<|\{(?:\{[%<]|%)[ \t]*(?:include|readfile)[ \t]|<!--[ \t]*@include|;{0,1}-{1,5}8<|\{!|\{\*)|\{\{#/
/** Snippets of MkDocs, each in a line between two of these. */
const listEnd = /^-{1,5}8<-{1,5}$/
const ticksAt = (line: string) => /^\s*(`+)/.exec(line)?.[1]?.length ?? 0

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

  /** The page with what it includes. */
  function expand(text: string, source: string, note: IncludeNote): Included {
    if (
      !/\{\{#|<<<|@include|8<-|\{!|\{\*|\{(?:literal)?include\}|[%<][ \t]*(?:include|readfile)[ \t]/.test(
        text,
      )
    )
      return { text, lines: undefined }
    const out: string[] = []
    const lines: number[] = []
    let used = 0
    const put = (line: string, from: number) => {
      out.push(line)
      lines.push(from)
    }

    function linesOf(request: Request, stack: readonly string[], at: number): string[] | undefined {
      const from = stack.at(-1) ?? source
      const file = /^https?:/.test(request.path) ? undefined : read(request.path, from)
      const isLoop = file !== undefined && stack.includes(file.path)
      used += file?.text.length ?? 0
      if (isLoop || left < 0 || stack.length > maxDepth || used > maxPageLength) {
        const what = isLoop ? 'include of a file in itself' : 'include of too much text'
        note('syntax', `${what}: ${request.path}`, at)
        return undefined
      }
      const part = file && partIn(file.text, request.part)
      if (!file || !part) {
        // In code it may be that of another program.
        if (/\.\w/.test(request.path)) note('include', request.path, at)
        return undefined
      }
      const { fence } = request
      if (fence) {
        const marked = part.flatMap(({ number }, index) =>
          fence.numbered?.some(({ from, to }) => number >= from && number < to) ? [index + 1] : [],
        )
        const longest = part.reduce((most, line) => Math.max(most, ticksAt(line.text)), 2)
        const ticks = '`'.repeat(longest + 1)
        const info = marked.length > 0 ? `${fence.info} {${marked.join()}}` : fence.info
        return [ticks + info, ...part.map((line) => line.text), ticks]
      }
      const plain = part.map((line) => line.text)
      const isMarkdown = /\.(?:mdx?|markdown|txt)$/i.test(file.path)
      return isMarkdown ? plain.flatMap(within([...stack, file.path], at)) : plain
    }

    function placed(found: string[] | undefined, indent: string, at: number) {
      if (!found || indent === '') return found
      used += found.length * indent.length
      if (used <= maxPageLength) return found.map((line) => (line === '' ? line : indent + line))
      note('syntax', 'include of too much text', at)
      return undefined
    }

    /** Replaces what the lines of one file include, in order. */
    function within(
      stack: readonly string[],
      at?: number,
    ): (line: string, index: number) => string[] {
      let fence = ''
      let isList = false
      return (line, index) => {
        const ticks = /^[ \t>]*(`{3,}|~{3,})([^`]*)$/.exec(line)
        if (ticks && fence === '') fence = ticks[1] ?? ''
        else if (ticks?.[1]?.startsWith(fence) && ticks[2]?.trim() === '') fence = ''
        if (!(hint.test(line) || isList) || line.length > 5000) return [line]
        // In code, it may be the syntax of something else.
        const kept = fence === '' ? [] : [line]
        const text = line.trim()
        const indent = line.slice(0, line.indexOf(text))
        if (text.startsWith(';')) return [indent + text.slice(1)]
        if (listEnd.test(text)) {
          isList = !isList
          return []
        }
        const own = isList && text !== '' ? `--8<-- "${text}"` : text
        for (const { inCode, pattern, read: readForm } of forms) {
          const match = inCode || fence === '' ? pattern.exec(own) : null
          if (!match) continue
          return placed(linesOf(readForm(match), stack, at ?? index), indent, at ?? index) ?? kept
        }
        return mdBookLine(line, stack, at ?? index)?.split('\n') ?? kept
      }
    }

    /** Undefined if the line is only what cannot be included. */
    function mdBookLine(line: string, stack: readonly string[], at: number): string | undefined {
      const match = mdBook.exec(line)
      const [whole = '', backslash, name = '', target = ''] = match ?? []
      if (!match) return line
      const before = line.slice(0, match.index)
      const rest = line.slice(match.index + whole.length)
      const isAlone = before.trim() === '' && rest.trim() === ''
      const after = rest === '' ? '' : (mdBookLine(rest, stack, at) ?? '')
      if (backslash) return before + whole.slice(1) + after
      const found = name === 'title' ? [] : linesOf(ofMdBook(name, target), stack, at)
      if (!found) return isAlone ? undefined : before + whole + after
      if (isAlone) return placed(found, before, at)?.join('\n')
      return before + found.join('\n') + after
    }

    const replace = within([source])
    const given = text.split('\n')
    for (let index = 0; index < given.length; index += 1) {
      const block = blockAt(given, index)
      const found = block && linesOf(block.request, [source], index)
      if (block && found) {
        for (const line of placed(found, block.indent, index) ?? []) put(line, index)
        index = block.last
      } else for (const line of replace(given[index] ?? '', index)) put(line, index)
    }
    return { text: out.join('\n'), lines }
  }

  return { expand, read, included: included as ReadonlySet<string> }
}

/** ```{literalinclude} a.py of MyST, with its options. */
function blockAt(lines: readonly string[], index: number) {
  const opening = /^([ \t]*)(`{3,}|:{3,})\{(include|literalinclude)\}[ \t]+(\S{1,300})[ \t]*$/.exec(
    lines[index] ?? '',
  )
  const [, indent = '', ticks = '', name, path = ''] = opening ?? []
  if (!opening) return undefined
  const options = new Map<string, string>()
  for (let last = index + 1; last < Math.min(lines.length, index + 30); last += 1) {
    const line = (lines[last] ?? '').trim()
    const option = /^:([\w-]{1,40}):[ \t]*(.*)$/.exec(line)
    if (option) options.set(option[1] ?? '', option[2] ?? '')
    if (line !== ticks) continue
    const [language, caption, marked] = ['language', 'caption', 'emphasize-lines'].map((each) =>
      options.get(each),
    )
    const title = caption ? ` title="${caption.replaceAll('"', '')}"` : ''
    const info = `${language ?? languageOf(path)}${title}${marked ? ` {${marked}}` : ''}`
    const part = options.has('lines') ? rangesOf(options.get('lines') ?? '') : undefined
    const request: Request = { path, part, fence: name === 'include' ? undefined : { info } }
    return { request, indent, last }
  }
  return undefined
}

/** The marks of parts in all notations: of mdBook, MkDocs, and the regions of editors. */
const marks =
  /(?:ANCHOR|ANCHOR_END):[ \t]*[\w-]+|--8<--[ \t]*\[(?:start|end):|^[ \t]*(?:\/\/|\/\*|<!--|--|\{\/\*)?[ \t]*#(?: ?(?:end)?region|(?:pragma )?(?:End|end)? ?[Rr]egion)\b/

interface NumberedLine {
  text: string
  number: number
}

/** Undefined: there is no such part. Marks of parts are left out. */
function partIn(text: string, part: Request['part']): NumberedLine[] | undefined {
  const all = text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line, number) => ({ text: line, number }))
  const isMarked = (line: string) => line.length < 500 && marks.test(line)
  if (part && 'name' in part) {
    const name = part.name.replaceAll(/[^\w-]/g, '')
    const start = new RegExp(
      `(?:ANCHOR:[ \\t]*|\\[start:[ \\t]*|region[ \\t]+)${name}(?![\\w-])`,
      'i',
    )
    const stop = new RegExp(
      `(?:ANCHOR_END:[ \\t]*|\\[end:[ \\t]*|endregion[ \\t]*)${name}(?![\\w-])|endregion[ \\t]*(?:-->|\\*/)?$`,
      'i',
    )
    const isStart = ({ text: line }: NumberedLine) =>
      isMarked(line) && start.test(line) && !/end_?region|_END/i.test(line)
    const from = all.findIndex(isStart)
    if (from < 0) return undefined
    const length = all
      .slice(from + 1)
      .findIndex(({ text: line }) => isMarked(line) && stop.test(line))
    const inside = all.slice(from + 1, length < 0 ? undefined : from + 1 + length)
    return withoutIndent(inside.filter(({ text: line }) => !isMarked(line)))
  }
  const isChosen = ({ number }: NumberedLine) =>
    !part || part.some(({ from, to }) => number >= from && number < to)
  const chosen = all.filter(isChosen)
  return chosen.filter(({ text: line }) => !isMarked(line))
}

function withoutIndent(lines: NumberedLine[]): NumberedLine[] {
  const widths = lines.filter(({ text }) => text.trim() !== '').map(({ text }) => text.search(/\S/))
  const width = widths.reduce((least, each) => Math.min(least, each), 100)
  return lines.map(({ number, text }) => ({ number, text: text.slice(width) }))
}
