// The help texts, generated from the commands.
import { type Command, type Option, valueName } from './command.ts'

const commonOptions: Record<string, Option> = {
  json: { meaning: 'Print the result as JSON.' },
  help: { meaning: 'Show this help.' },
}

/** All commands, one line each. */
export function describeAll(commands: Command[]): string {
  const rows = commands.map(
    ({ name, operands = [], summary }) => [[name, ...operands].join(' '), summary] as const,
  )
  return `Usage: animal-store <command> [options]\n\n${columns(rows)}\nRun animal-store <command> --help for its options, and animal-store --version for the version.\n`
}

/** One command with its options. */
export function describeOne({ name, details, operands = [], options, summary }: Command): string {
  const rows = Object.entries({ ...options, ...commonOptions }).map(([option, entry]) => {
    const value = valueName(entry)
    const { isOptional, meaning, required, short } = entry
    const shown = isOptional ? `[${value}]` : value
    const names = short ? `-${short}, --${option}` : `--${option}`
    return [`${names}${value ? ` ${shown}` : ''}`, required ? `${meaning} Required.` : meaning]
  })
  return `Usage: animal-store ${[name, ...operands].join(' ')} [options]\n\n${summary}${details ? ` ${details}` : ''}\n\n${columns(rows)}`
}

/** Rows in aligned columns, two spaces apart. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(widest[i] ?? 0, cell.length)),
    [],
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map((row) => `  ${line(row)}\n`).join('')
}
