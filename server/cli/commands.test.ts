// What help prints and loads. Every start loads the declarations, so they must not import what only running
// a command needs.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longestTokenDays, standardTokenDays } from '#accounts/sessions/access-tokens.ts'
import { PetStatus } from '#store/animals/schema.ts'
import { type Command, describeOne } from './command-line/command.ts'
import { commands } from './commands.ts'

/** Writes the URL of every loaded module, one per line, to file descriptor 3. */
const recorder = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) { writeSync(3, url + '\\n'); return next(url, context) } })
`)}`

/** Runs the program until it exits. */
function run(...words: string[]): { loaded: string; stdout: string } {
  const program = join(import.meta.dirname, 'main.ts')
  const { output, status, stderr } = spawnSync(
    process.execPath,
    ['--import', recorder, program, ...words],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  )
  expect(status, stderr).toBe(0)
  return { loaded: output[3] ?? '', stdout: output[1] ?? '' }
}

test('help loads every command declaration, but no database, no schema and no code of a running command', () => {
  const { loaded, stdout } = run('keys', 'list', '--help')
  expect(stdout).toContain('animal-store keys list')
  expect(loaded).toContain('/cli/commands.ts')
  expect(loaded).toContain('/cli/command-line/server-choice.ts')
  expect(loaded).not.toMatch(/node_modules\/(pg|kysely|typebox|find-my-way)\//)
  expect(loaded).not.toMatch(/\/run-[\w-]+\.ts|\/kit\/database\/|\/server\/main\.ts/)
})

test('--version prints the version of package.json, and loads no database', () => {
  const { loaded, stdout } = run('--version')
  expect(stdout).toBe(`${readPackageVersion()}\n`)
  expect(loaded).not.toMatch(/\/run-[\w-]+\.ts|\/kit\/database\/|\/server\/main\.ts/)
})

test('api loads no operation', () => {
  const { loaded } = run('api', '--help', '--url', 'http://localhost:1')
  expect(loaded).toContain('/cli/run-api.ts')
  expect(loaded).not.toMatch(/node_modules\/(pg|kysely|typebox|find-my-way)\//)
  expect(loaded).not.toMatch(
    /\/(operations|routes|schema)\.ts|\/kit\/database\/|\/server\/main\.ts/,
  )
})

test('help shows the limits of the schema and of accounts', () => {
  expect(describeOne(commandNamed('animals export'))).toContain(
    `--status ${PetStatus.enum.join('|')}  `,
  )
  expect(describeOne(commandNamed('tokens create'))).toContain(
    `at most ${longestTokenDays}d. Default: ${standardTokenDays}d.`,
  )
})

function readPackageVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version
}

function commandNamed(name: string): Command {
  return commands.find((command) => command.name === name) as Command
}
