// The pages of a reference as Markdown, for llms.txt and for reading as text. They are written from the HTML of the pages, so
// that both say the same.
import { DomUtils, parseDocument } from 'htmlparser2'

type Node = ReturnType<typeof parseDocument>['children'][number]

/** Line ends between blocks, until it is known what is beside them: at least one, at least two. No characters of Unicode. */
const line = '\uFDD0'
const gap = '\uFDD1'

/** Lists and quotes in more of them are not indented further. */
const maxDepth = 15

/** What is before and after the content of an element, by name or class. */
const around: Record<string, [before: string, after?: string]> = {
  div: [line, line],
  br: [line],
  dt: ['', ':'],
  summary: [`${gap}**`, `**${gap}`],
  strong: ['**', '**'],
  em: ['*', '*'],
  tr: [`${line}|`, line],
  '.callout-title': [`${gap}**`, `**${gap}`],
  '.api-mark': ['*', '*'],
}

const block = /^(p|ul|ol|table|details|figure|h([1-6]))$/

/** Classes of what is for eyes or scripts only, and the languages of the request samples that are left out. */
const unseen = ['anchor', 'api-language', 'icon', 'api-try', 'unseen', 'javascript', 'python']

/** Below a heading with the title. */
export function referenceMarkdown(title: string, safeHtml: string): string {
  return `# ${title}\n\n${linesOf(parseDocument(safeHtml).children)}\n`
}

/** `depth`: of lists and quotes. */
function linesOf(nodes: readonly Node[], depth = 0): string {
  const text = nodes.map((node) => markdownOf(node, depth)).join('')
  const toLines = (run: string) => (run.includes(gap) ? '\n\n' : '\n')
  return text.replaceAll(/[\uFDD0\uFDD1][ \uFDD0\uFDD1]*/g, toLines).trim()
}

function markdownOf(node: Node, depth: number, language = ''): string {
  if (node.type === 'text') {
    return node.data.replaceAll(/[\s\uFDD0\uFDD1]+/g, ' ').replaceAll(/[*`<\\]/g, '\\$&')
  }
  if (node.type !== 'tag') return ''
  const { attribs, children, name } = node
  const inside = attribs['data-language'] ?? language
  const [kind = '', ...kinds] = attribs.class?.split(' ') ?? []
  if ([inside, kind, ...kinds].some((name) => unseen.includes(name))) return ''
  if (name === 'code') return code(DomUtils.textContent(node), 1)
  if (name === 'pre') return gap + code(DomUtils.textContent(node), 3, `${language}\n`, '\n') + gap
  const isQuote = name === 'blockquote' || kind === 'callout'
  if (isQuote || name === 'li') {
    const lines = linesOf(children, depth + 1)
    const [start, end, inset] = isQuote
      ? [`${gap}> `, gap, lines.replaceAll('\n', '\n> ')]
      : [`${line}- `, line, lines.replaceAll(/\n(?=.)/g, '\n  ')]
    return start + (depth < maxDepth ? inset : lines) + end
  }
  if (name === 'th' || name === 'td') {
    return ` ${linesOf(children, depth).replaceAll(/\n+/g, ' ').replaceAll('|', '\\|')} |`
  }
  const content = children.map((child) => markdownOf(child, depth, inside)).join('')
  if (name === 'thead')
    return `${content}|${' --- |'.repeat(content.split(' |').length - 1)}${line}`
  if (name === 'a' && attribs.href !== undefined) return `[${content}](${attribs.href})`
  if (name === 'img') return `![${attribs.alt ?? ''}](${attribs.src ?? ''})`
  const [isBlock, , level = ''] = block.exec(name) ?? []
  const usual = isBlock ? [`${gap}${level && `${'#'.repeat(Number(level))} `}`, gap] : []
  const [before = '', after = ''] = around[`.${kind}`] ?? around[name] ?? usual
  return before + content + after
}

/** In more backticks than the text has in a row. */
function code(text: string, least: number, start = '', end = ''): string {
  const rows = (text.match(/`+/g) ?? []).map((row) => row.length + 1)
  const ticks = '`'.repeat(rows.reduce((most, length) => Math.max(most, length), least))
  return ticks + start + text.replaceAll(/[\uFDD0\uFDD1]/g, '') + end + ticks
}
