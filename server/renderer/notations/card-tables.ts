// Tables that GitBook shows as cards: `<table data-view="cards">`, one card a row. Its columns say what is hidden, and which
// of them has the link of the card.
import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'
import { type Box, closeBox, mayNest, openBox } from '../markdown/boxes.ts'
import { isIndented, lineAt, placeOf } from './source-lines.ts'
import { nameOf } from './tag-meanings.ts'

export function addCardTables(md: Parser): void {
  md.block.ruler.before('html_block', 'card_tables', cardTableRule)
}

const opening = /^<table[^<>]{0,200}\bdata-view="cards"[^<>]{0,200}>/
const maxLength = 200_000

function cardTableRule(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const place = placeOf(state, start)
  if (state.src[place] !== '<' || isIndented(state, start) || !mayNest(state)) return false
  if (!opening.test(state.src.slice(place, place + 500))) return false
  const table = state.src.slice(place, place + maxLength).split('</table>', 1)[0] ?? ''
  const last = lineAt(state, place + table.length)
  if (last >= end || table.length >= maxLength) return false
  if (silent) return true
  const [head = '', ...body] = table.split(/<tbody>/)
  const columns = head.split(/<th\b/).slice(1)
  openBox(state, { kind: 'cards' }, start)
  for (const row of body
    .join('')
    .split(/<tr\b[^<>]*>/)
    .slice(1))
    pushCard(state, row, columns, start)
  closeBox(state, 'cards')
  state.line = last + 1
  return true
}

function pushCard(state: StateBlock, row: string, columns: string[], line: number): void {
  const cells = row.split(/<td\b[^<>]*>/).slice(1)
  const contents = cells.map((cell) => cell.split('</td>', 1)[0]?.trim() ?? '')
  const isOf = (index: number, mark: string) => columns[index]?.split('>', 1)[0]?.includes(mark)
  const target = contents.find((_, index) => isOf(index, 'data-card-target'))
  const shown = contents.filter(
    (cell, index) =>
      cell.replaceAll(/<[^<>]*>/g, '').trim() !== '' &&
      !isOf(index, 'data-hidden') &&
      !isOf(index, 'data-card-target'),
  )
  const heading = Math.max(
    0,
    shown.findIndex((cell) => /<(?:h\d|strong)\b/.test(cell)),
  )
  const [title = ''] = shown.splice(heading, 1)
  const card: Box = { kind: 'card', title: title.replaceAll(/<\/?(?:h\d|strong)\b[^<>]*>|\n/g, '') }
  const href = /\bhref="([^"<>]{1,1000})"/.exec(target ?? '')?.[1]
  if (href) card.href = state.md.utils.unescapeAll(href)
  openBox(state, card, line)
  for (const cell of shown) {
    const named = cell.replaceAll(
      /(<a\b[^<>]*\bdata-mention\b[^<>]*\bhref="([^"<>]*)"[^<>]*>)([^<>]*)(?=<\/a>)/g,
      (_, start: string, to: string, text: string) =>
        start + (/^https?:/.test(to) ? text : state.md.utils.escapeHtml(nameOf(to))),
    )
    state.push('html_block', '', 0).content = `<p>${named}</p>\n`
  }
  closeBox(state, 'card')
}
