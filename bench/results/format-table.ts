// Formats the result table that npm run bench prints.

import { isTargetMet, type Row } from './compare-rounds.ts'
import type { Spread } from './statistics.ts'

const heading = [
  'job',
  'engine',
  'result (min–max)',
  'p50',
  'p99',
  'cpu/req',
  'compared with',
  'its result (min–max)',
  'ratio (min–max)',
  'CPU ratio',
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
  const previous = rows[index - 1]
  const isSameJob = previous?.job === row.job && previous.engine === row.engine
  const isMet = isTargetMet(row)
  return [
    isSameJob ? '' : row.job,
    isSameJob ? '' : row.engine,
    ...(isSameJob ? ['', '', '', ''] : formatResult(row)),
    row.peer ?? '',
    row.peerResult
      ? formatSpread(row.peerResult, row.unit) + (row.limitedBy.includes('peer') ? '*' : '')
      : '',
    row.ratio ? formatRatioSpread(row.ratio) : '',
    row.cpuRatio === undefined ? '' : formatRatio(row.cpuRatio),
    formatTarget(row),
    row.errors > 0 ? `${row.errors} ERRORS` : isMet === undefined ? '' : isMet ? 'yes' : 'NO',
  ]
}

function formatTarget({ target }: Row): string {
  if (!target) return ''
  if ('minRatio' in target) return `≥ ${formatRatio(target.minRatio).replace(/0$/, '')}`
  return `≤ ${formatRatio(target.maxRatio)}`
}

function formatResult(row: Row): string[] {
  const flag = row.limitedBy.includes('server') ? '*' : ''
  const times = [row.p50Us, row.p99Us, row.cpuUs].map(formatTime)
  return [formatSpread(row.result, row.unit) + flag, ...times]
}

function formatSpread({ median, min, max }: Spread, unit: Row['unit']): string {
  if (unit === 'MB') return `${Math.round(median)} MB`
  if (unit === '%') return `${Math.round(median)} % (${Math.round(min)}–${Math.round(max)})`
  if (unit === 'ms') {
    const [middle, low, high] = [median, min, max].map(formatMilliseconds)
    return `${middle} ms (${low}–${high})`
  }
  return `${formatCount(median)} (${formatCount(min)}–${formatCount(max)})`
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en')
}

const formatMilliseconds = (value: number): string =>
  value < 10 ? value.toFixed(1) : formatCount(value)

function formatRatioSpread({ median, min, max }: Spread): string {
  const spread = min === max ? '' : ` (${formatRatio(min)}–${formatRatio(max)})`
  return formatRatio(median) + spread
}

function formatRatio(value: number): string {
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

function pad(cell: string, width: number, isRightAligned: boolean): string {
  const space = ' '.repeat(Math.max(0, width - [...cell].length))
  return isRightAligned ? space + cell : cell + space
}
