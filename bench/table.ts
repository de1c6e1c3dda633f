// The one table that npm run bench prints.

import { isMet, type Row } from './results.ts'
import type { Spread } from './statistics.ts'

const heading = [
  'job',
  'engine',
  'ours (min–max)',
  'p50',
  'p99',
  'cpu/req',
  'against',
  'theirs (min–max)',
  'ratio (min–max)',
  'by cpu',
  'target',
  'met',
]

export function formatTable(rows: Row[]): string {
  const cells = [heading, ...rows.map(formatRow)]
  const widths = heading.map((_, column) =>
    Math.max(...cells.map((line) => [...(line[column] ?? '')].length)),
  )
  const lines = cells.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0, isNumeric(column)))
      .join('  ')
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '))
  return lines.join('\n')
}

function formatRow(row: Row, index: number, rows: Row[]): string[] {
  const before = rows[index - 1]
  const again = before?.job === row.job && before.engine === row.engine
  const met = isMet(row)
  return [
    again ? '' : row.job,
    again ? '' : row.engine,
    ...(again ? ['', '', '', ''] : oursCells(row)),
    row.peer ?? '',
    row.theirs
      ? formatSpread(row.theirs, row.unit) + (row.limitedBy.includes('peer') ? '*' : '')
      : '',
    row.ratio ? formatRatio(row.ratio) : '',
    row.cpuRatio === undefined ? '' : ratio(row.cpuRatio),
    formatTarget(row),
    row.errors > 0 ? `${row.errors} ERRORS` : met === undefined ? '' : met ? 'yes' : 'NO',
  ]
}

function formatTarget({ target, unit }: Row): string {
  if (!target) return ''
  if ('least' in target) return `≥ ${ratio(target.least).replace(/0$/, '')}`
  return `≤ ${count(target.most)} ${unit}`
}

function oursCells(row: Row): string[] {
  const flag = row.limitedBy.includes('ours') ? '*' : ''
  const times = [row.p50Us, row.p99Us, row.cpuUs].map(formatTime)
  return [formatSpread(row.ours, row.unit) + flag, ...times]
}

function formatSpread({ median, min, max }: Spread, unit: Row['unit']): string {
  if (unit === 'MB') return `${Math.round(median)} MB`
  if (unit === 'ms') return `${count(median)} ms (${count(min)}–${count(max)})`
  return `${count(median)} (${count(min)}–${count(max)})`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function formatRatio({ median, min, max }: Spread): string {
  const spread = min === max ? '' : ` (${ratio(min)}–${ratio(max)})`
  return ratio(median) + spread
}

function ratio(value: number): string {
  return value >= 20 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function formatTime(microseconds: number | undefined): string {
  if (microseconds === undefined) return ''
  if (microseconds < 10) return `${microseconds.toFixed(1)} µs`
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`
  return `${(microseconds / 1000).toFixed(microseconds < 10_000 ? 1 : 0)} ms`
}

function isNumeric(column: number): boolean {
  return (column >= 2 && column <= 5) || (column >= 7 && column <= 9)
}

function pad(cell: string, width: number, toTheRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - [...cell].length))
  return toTheRight ? space + cell : cell + space
}
