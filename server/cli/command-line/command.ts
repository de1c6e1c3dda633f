// What a command is, and how its words are read. A command prints its result on standard output, anything
// for the human beside it on standard error, and ends with 0, 1 (it failed) or 2 (wrong usage).

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, projectRoot, readConfig } from '../../platform/config/config.ts'

export interface Option {
  /** What stands for its value in the help; without it the option is a switch. */
  value?: string
  meaning: string
  required?: boolean
}

export interface Command {
  /** As it is typed, such as `keys create`. */
  name: string
  /** One line, for the list of commands. */
  summary: string
  /** What its own help says besides. */
  details?: string
  /** What follows the name, such as `<id>`; `[FILE]` may be left out. */
  operands?: string[]
  options: Record<string, Option>
  /** Gives the exit status, or nothing for 0. */
  run(input: Input): Promise<number | undefined>
}

export interface Input {
  operands: string[]
  options: Record<string, string | undefined>
  json: boolean
}

/** Wrong usage: one line, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** It failed: one line, exit status 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Reads the words after the command's name. Undefined when help is asked for. */
export function readInput(command: Command, words: string[]): Input | undefined {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value ? 'string' : 'boolean' } as const,
    ]),
  )
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({
      args: words,
      options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
  if (parsed.values.help) return undefined
  const wanted = command.operands ?? []
  if (parsed.positionals.length > wanted.length) {
    throw new UsageError(
      `${JSON.stringify(parsed.positionals[wanted.length])} is one word too many`,
    )
  }
  const missing = wanted[parsed.positionals.length]
  if (missing && !missing.startsWith('[')) throw new UsageError(`${missing} is missing`)
  for (const [name, { required, value }] of Object.entries(command.options)) {
    if (required && parsed.values[name] === undefined)
      throw new UsageError(`--${name} ${value} is missing`)
  }
  const values = Object.fromEntries(
    Object.keys(command.options).map((name) => [name, parsed.values[name]?.toString()]),
  )
  return { operands: parsed.positionals, options: values, json: parsed.values.json === true }
}

/** Prints a result: as JSON where it was asked for, else for the eye. */
export function print(input: Input, value: unknown, text: string): void {
  process.stdout.write(`${input.json ? JSON.stringify(value, null, 2) : text}\n`)
}

/** The configuration: environment variables, and what a .env file adds. */
export function loadConfig(): Config {
  const file = join(projectRoot, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  return readConfig(process.env)
}

/** The one line, and the exit status, for whatever a command ended with. */
export function describeFailure(error: unknown): { message: string; status: number } {
  if (error instanceof UsageError || error instanceof ConfigError)
    return { message: error.message, status: 2 }
  const { code, name, message, status } = error as Partial<Record<string, string>> & {
    status?: number
  }
  if (code === 'EADDRINUSE')
    return { message: 'HTTP_PORT is in use by another program: choose another port.', status: 2 }
  if (code === 'EACCES')
    return {
      message: 'HTTP_PORT needs rights that this user lacks: choose a port from 1024 on.',
      status: 2,
    }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return {
      message:
        'LISTEN_ADDRESS is not an address of this machine: it accepts an IP address or a host name.',
      status: 2,
    }
  }
  if (name === 'NewerDatabaseError') return { message: message ?? '', status: 2 }
  if (name === 'StartError')
    return { message: message ?? '', status: typeof status === 'number' ? status : 1 }
  return { message: message || String(error), status: 1 }
}
