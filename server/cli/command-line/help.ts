// The help texts, made from the commands themselves.
import type { Command } from './command.ts'

const everywhere = {
  json: { meaning: 'Print the result as JSON.' },
  help: { meaning: 'Show this.' },
}

/** All commands, a line each. */
export function describeAll(commands: Command[]): string {
  const rows = commands.map(
    ({ name, operands = [], summary }) => [[name, ...operands].join(' '), summary] as const,
  )
  return `Usage: animal-store <command> [options]\n\n${columns(rows)}\nanimal-store <command> --help shows its options.\n`
}

/** One command with its options. */
export function describeOne({ name, details, operands = [], options, summary }: Command): string {
  const rows = Object.entries({ ...options, ...everywhere }).map(([option, entry]) => {
    const { meaning, value, required } = entry as {
      meaning: string
      value?: string
      required?: boolean
    }
    return [
      `--${option}${value ? ` ${value}` : ''}`,
      required ? `${meaning} Required.` : meaning,
    ] as const
  })
  return `Usage: animal-store ${[name, ...operands].join(' ')} [options]\n\n${summary}${details ? ` ${details}` : ''}\n\n${columns(rows)}`
}

/** Rows of equal columns, two spaces apart. The last column is as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)),
    [],
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map((row) => `  ${line(row)}\n`).join('')
}
