// The pages of a reference as Markdown, for llms.txt and for reading as text. They are written from the HTML of the pages, so
// that both say the same.
import { Parser } from 'htmlparser2'

interface Tag {
  /** Line ends before and after it. */
  gap?: number
  start?: string
  end?: string
  /** Before each of its lines. */
  margin?: string
}

const block: Tag = { gap: 2 }
const quote: Tag = { gap: 2, margin: '> ' }
const cell: Tag = { start: ' ', end: ' |' }
const tags = new Map<string, Tag>([
  ...['p', 'ul', 'ol', 'pre', 'table', 'details', 'figure'].map((name) => [name, block] as const),
  ...[1, 2, 3, 4, 5, 6].map((level) => {
    return [`h${level}`, { gap: 2, start: `${'#'.repeat(level)} ` }] as const
  }),
  ['blockquote', quote],
  ['div', { gap: 1 }],
  ['br', { gap: 1 }],
  ['dt', { end: ':' }],
  ['li', { gap: 1, start: '- ', margin: '  ' }],
  ['summary', { gap: 2, start: '**', end: '**' }],
  ['strong', { start: '**', end: '**' }],
  ['em', { start: '*', end: '*' }],
  ['tr', { gap: 1, start: '|' }],
  ['th', cell],
  ['td', cell],
  // By class.
  ['.callout', quote],
  ['.callout-title', { gap: 2, start: '**', end: '**' }],
  ['.api-mark', { start: '*', end: '*' }],
])

/** Classes of what is for eyes or scripts only, and the languages of the request samples that are left out. */
const unseen = /^(?:anchor|api-language|icon|api-try|unseen|javascript|python)$/

function tagOf(name: string, { alt, class: names = '', href, src }: Record<string, string>): Tag {
  if (name === 'a' && href !== undefined) return { start: '[', end: `](${href})` }
  if (name === 'img') return { start: `![${alt ?? ''}](${src})` }
  return tags.get(`.${names.split(' ')[0]}`) ?? tags.get(name) ?? {}
}

/** Longer than any sequence of backticks in the code, and than `least`. */
function ticksFor(code: string, least: number): string {
  const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  return '`'.repeat(Math.max(longest, least) + 1)
}

/** Below a heading with the title. */
export function referenceMarkdown(title: string, safeHtml: string): string {
  const lines: string[] = []
  const open: Tag[] = []
  let line = `# ${title}`
  let last = ''
  let margin = ''
  let lineMargin = ''
  let gap = 2
  let cells = 0
  let isInCell = false
  let language = ''
  /** The number of elements around what is not shown, and around code. */
  let hidden: number | undefined
  let coded: number | undefined
  let code = ''

  function put(text: string): void {
    if (text === '') return
    if (gap > 0) {
      const between = margin.length < lineMargin.length ? margin : lineMargin
      lines.push(line.trimEnd(), ...Array(gap - 1).fill(between.trimEnd()))
      line = margin
      lineMargin = margin
    }
    gap = 0
    line += text
    last = text
  }

  function leave(lineEnds = 0): void {
    if (!isInCell) gap = Math.max(gap, lineEnds)
    else if (lineEnds > 0 && !last.endsWith(' ')) put(' ')
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      const tag = tagOf(name, attributes)
      const kinds = [attributes['data-language'] ?? '', ...(attributes.class ?? '').split(' ')]
      language = attributes['data-language'] ?? language
      if (kinds.some((kind) => unseen.test(kind))) hidden ??= open.length
      if (hidden === undefined && coded === undefined) {
        // What an item starts with is beside its mark.
        if (last !== '- ' || gap > 0) leave(tag.gap)
        if (name === 'pre' || name === 'code') [coded, code] = [open.length, '']
        if (name === 'tr') cells = 0
        if (tag === cell) {
          isInCell = true
          cells += 1
        }
        put(tag.start ?? '')
        margin += tag.margin ?? ''
      }
      open.push(tag)
    },
    ontext(text) {
      if (hidden !== undefined) return
      if (coded !== undefined) code += text
      else {
        const words = text.replaceAll(/\s+/g, ' ').replaceAll(/[*`|<\\]/g, '\\$&')
        put(gap > 0 || last.endsWith(' ') ? words.trimStart() : words)
      }
    },
    onclosetag(name) {
      const tag = open.pop()
      if (tag === cell) isInCell = false
      if (hidden === open.length) hidden = undefined
      else if (hidden === undefined && (coded ?? open.length) === open.length) {
        if (coded !== undefined) {
          const ticks = ticksFor(code, name === 'pre' ? 2 : 0)
          const text =
            name === 'pre' ? `${language}\n${code}\n`.replaceAll('\n', `\n${margin}`) : code
          put(ticks + text + ticks)
          coded = undefined
          language = ''
        }
        put(tag?.end ?? '')
        if (tag?.margin !== undefined) margin = margin.slice(0, -tag.margin.length)
        leave(tag?.gap)
        if (name === 'thead') put(`|${' --- |'.repeat(cells)}`)
      }
    },
  })
  parser.end(safeHtml)
  return `${[...lines, line.trimEnd()].join('\n')}\n`
}
