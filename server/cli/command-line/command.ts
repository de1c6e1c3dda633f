// What a command is, how its arguments are read, and its help, which is generated from it. A command prints its result to
// standard output and messages to standard error. Its exit status is 0, 1 (it failed) or 2 (wrong usage).
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, projectRoot, readConfig } from '#kit/config/config.ts'
import { describeFullDisk } from '#kit/errors.ts'

export interface Option {
  /** What stands for its value in the help; an option with neither `value` nor `choices` is a switch. */
  value?: string
  /** The only values that it accepts. */
  choices?: readonly string[]
  meaning: string
  required?: boolean
  /** One letter, as in -f. */
  short?: string
  /** It may be given several times: its values are in the `lists` of the input. */
  isRepeatable?: boolean
  /** It may stand without its value, which is then empty. */
  isOptional?: boolean
}

export interface Command {
  /** As it is typed, such as `keys create`. */
  name: string
  /** One line, for the list of commands. */
  summary: string
  /** What its own help says in addition. */
  details?: string
  /** What follows the name, such as `<id>`; `[FILE]` is optional. */
  operands?: string[]
  options?: Record<string, Option>
  /** What its own help ends with, where that has to be looked up. */
  moreHelp?(input: Input): Promise<string>
  /** Resolves to the exit status, or to nothing for 0. */
  run(input: Input): Promise<number | undefined>
}

export interface Input {
  operands: string[]
  options: Record<string, string | undefined>
  /** The values of the options that may be given several times. */
  lists: Record<string, string[] | undefined>
  json: boolean
  isHelp: boolean
}

/** Wrong usage: printed as one line; exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed: printed as one line; exit status 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Reads the arguments after the command's name. Throws a UsageError, but none for what is missing beside --help. */
export function readInput(command: Command, words: string[]): Input {
  const { options: declared = {}, operands = [] } = command
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, option]) => {
      const { isRepeatable = false, short } = option
      const type = valueName(option) ? 'string' : 'boolean'
      return [name, { type, multiple: isRepeatable, ...(short && { short }) } as const]
    }),
  )
  const required = operands.filter((operand) => !operand.startsWith('['))
  const parse = (args: string[]) =>
    parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    const args = withEmptyValues(command, words)
    parsed = parse(args)
    // The word after such an option is an operand that would be missing otherwise.
    if (parsed.positionals.length < required.length)
      parsed = parse(withEmptyValues(command, words, () => false))
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
  const { help, json } = parsed.values
  const entries = Object.keys(declared).map((name) => [name, parsed.values[name]] as const)
  const isList = (value: unknown) => Array.isArray(value)
  const input: Input = {
    operands: parsed.positionals,
    options: Object.fromEntries(
      entries
        .filter(([, value]) => !isList(value))
        .map(([name, value]) => [name, value?.toString()]),
    ),
    lists: Object.fromEntries(entries.filter(([, value]) => isList(value))) as Input['lists'],
    json: json === true,
    isHelp: help === true,
  }
  if (input.isHelp) return input
  if (parsed.positionals.length > operands.length) {
    const extra = JSON.stringify(parsed.positionals[operands.length])
    throw new UsageError(`unexpected argument ${extra}`)
  }
  const missing = operands[parsed.positionals.length]
  if (missing && !missing.startsWith('[')) throw new UsageError(`${missing} is missing`)
  for (const [name, option] of Object.entries(declared)) {
    const value = input.options[name]
    if (option.required && value === undefined)
      throw new UsageError(`--${name} ${valueName(option)} is missing`)
    if (value !== undefined && option.choices) readChoice(option.choices, value, `--${name}`)
  }
  return input
}

/** Gives an empty value to each option that may stand alone, unless the next word `isValue`. */
function withEmptyValues(
  { options = {} }: Command,
  words: string[],
  isValue = (next: string | undefined) => next !== undefined && !next.startsWith('-'),
): string[] {
  return words.map((word, i) => {
    const isAlone = word.startsWith('--') && options[word.slice(2)]?.isOptional === true
    return isAlone && !isValue(words[i + 1]) ? `${word}=` : word
  })
}

/** What stands for the value of an option in the help; undefined for a switch. */
export function valueName({ choices, value }: Option): string | undefined {
  return value ?? choices?.join('|')
}

/** `text` where it is one of the choices. Throws a UsageError that names `what`. */
export function readChoice<Choice extends string>(
  choices: readonly Choice[],
  text: string,
  what: string,
): Choice {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw new UsageError(`${what} accepts ${alternatives.format(choices)}`)
}

/** The parts of a list such as `a,b`, each once. Throws a UsageError that names `what`. */
export function readList<Choice extends string>(
  choices: readonly Choice[],
  text: string,
  what: string,
): Choice[] {
  const list = [...new Set(text.split(',').map((part) => part.trim()))]
  const unknown = list.find((part) => !choices.some((choice) => choice === part))
  if (unknown !== undefined) {
    const list = choices.join(', ')
    throw new UsageError(`${what} does not accept ${JSON.stringify(unknown)}: use ${list}`)
  }
  return list as Choice[]
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a duration such as 90d, 12h, 30m or 0s. */
export function readDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : undefined
}

/** The text of a file; `-` is standard input. Throws a CommandError. */
export function readText(file: string): string {
  return readBytes(file).toString('utf8')
}

/** The same without decoding. */
export function readBytes(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'ENOENT' ? `${file} does not exist` : `${file} cannot be read: ${message}`,
    )
  }
}

/** A date and time as tables show it, in UTC; `-` where there is none. */
export function formatMinute(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

/** Prints a result: as JSON with --json, else as text. */
export function print(input: Input, value: unknown, text: string): void {
  process.stdout.write(`${input.json ? JSON.stringify(value, null, 2) : text}\n`)
}

/** Prints a list: as JSON with --json, else as a table, or `empty`. */
export function printTable(
  input: Input,
  values: unknown[],
  { empty, head, rows }: { head: string[]; rows: string[][]; empty: string },
): void {
  print(input, values, rows.length === 0 ? empty : columns([head, ...rows]).trimEnd())
}

/** The configuration from the environment and the .env file. */
export function loadConfig(): Config {
  const file = join(projectRoot, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  return readConfig(process.env)
}

/** The line to print, and the exit status, for an error that ended a command. */
export function describeFailure(error: unknown): { message: string; status: number } {
  if (error instanceof UsageError || error instanceof ConfigError)
    return { message: error.message, status: 2 }
  const { code, name, message, status } = error as Partial<Record<string, string>> & {
    status?: number
  }
  const problem = code === undefined ? undefined : listenProblems[code]
  if (problem) return { message: problem, status: 2 }
  if (code === 'outcome_unknown') return { message: unknownOutcome, status: 1 }
  if (name === 'RefusedDatabaseError') return { message: message ?? '', status: 2 }
  if (name === 'StartError')
    return { message: message ?? '', status: typeof status === 'number' ? status : 1 }
  return { message: describeFullDisk(error) ?? (message || String(error)), status: 1 }
}

const unknownOutcome =
  'it is unknown whether this was changed: the database did not confirm it. Check before you run the command again.'
const badAddress =
  'LISTEN_ADDRESS is not an address of this machine: enter an IP address or a host name.'
const listenProblems: Record<string, string> = {
  EADDRINUSE: 'HTTP_PORT is in use by another program: choose another port.',
  EACCES: 'HTTP_PORT needs privileges that this user lacks: choose a port above 1023.',
  EADDRNOTAVAIL: badAddress,
  ENOTFOUND: badAddress,
}

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
export function describeOne({
  name,
  details,
  operands = [],
  options = {},
  summary,
}: Command): string {
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
