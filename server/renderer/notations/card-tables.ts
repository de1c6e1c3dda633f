// Tables that GitBook shows as cards: `<table data-view="cards">`, one card a row. Its columns say what is hidden, and which
// of them has the link of the card.
import type { StateBlock } from 'markdown-it'
import { type Box, putBox } from '../markdown/boxes.ts'
import { type BlockRule, isIndented, lineAt, placeOf } from '../markdown/syntax/source-lines.ts'

const cards = /<table[^<>]{0,200}\bdata-view="cards"[^<>]{0,200}>([\s\S]{0,50000}?)<\/table>/y

export const cardTableRule: BlockRule = (state, start, end, silent) => {
  cards.lastIndex = placeOf(state, start)
  const [, table = ''] = (!isIndented(state, start) && cards.exec(state.src)) || []
  const last = lineAt(state, cards.lastIndex)
  if (table === '' || last >= end) return false
  if (silent) return true
  const [head, ...rows] = table.split(/<tr\b[^<>]*>/).slice(1)
  const columns = (head ?? '').split(/<th\b/).slice(1)
  putBox(state, { kind: 'grid' }, start, () => {
    for (const row of rows) pushCard(state, row, columns, start)
  })
  state.line = last + 1
  return true
}

function pushCard(state: StateBlock, row: string, columns: string[], line: number): void {
  const cells = row.split(/<td\b[^<>]*>/).slice(1)
  const contents = cells.map((cell) => cell.split('</td>', 1)[0]?.trim() ?? '')
  const target = contents.find((_, index) => columns[index]?.includes('data-card-target'))
  const shown = contents.filter((cell, index) => {
    const hasText = cell.replaceAll(/<[^<>]*>/g, '').trim() !== ''
    return hasText && !/data-(?:hidden|card-target)/.test(columns[index] ?? '')
  })
  const heading = shown.find((cell) => /<(?:h\d|strong)\b/.test(cell)) ?? shown[0]
  const title = heading?.replaceAll(/<\/?(?:h\d|strong)\b[^<>]*>|\n/g, '')
  const href = /\bhref="([^"<>]{1,1000})"/.exec(target ?? '')?.[1]
  const box: Box = { kind: 'card', title, href: href && state.md.utils.unescapeAll(href) }
  putBox(state, box, line, () => {
    for (const cell of shown) {
      if (cell !== heading) state.push('html_block', '', 0).content = `<p>${cell}</p>\n`
    }
  })
}
