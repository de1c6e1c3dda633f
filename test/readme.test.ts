// README and reference are correct: the commands of the tour work, and the tables of settings and commands are complete.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { variables } from '#kit/config/variables.ts'
import { valueName } from '../server/cli/command-line/command.ts'
import { commands } from '../server/cli/commands.ts'
import { serveForTest } from './faults/processes.ts'
import { placeForTest } from './place-for-test.ts'
import { nodeEnvironment } from './program.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const settings = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
const commandList = readFileSync(join(root, 'docs/commands.md'), 'utf8')

it('has a tour whose commands print what it shows', async () => {
  const database = await placeForTest('sqlite')
  const { port } = await serveForTest(database)
  const tour = section('## Quick start').replaceAll(':8080', `:${port}`)
  const steps = [...tour.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```output\n([\s\S]*?)```)?/g)]
  expect(steps.length).toBeGreaterThan(5)
  // One shell runs all commands, as in one terminal; the output of each step ends with a marker.
  const script = steps.map(([, lines]) => `${lines}\necho; echo "--- step"\n`).join('')
  const env = { DATA_DIR: database.dataDir, HTTP_PORT: String(port), ...nodeEnvironment }
  const outputs = (await runShell(script, env)).split('--- step\n')
  for (const [i, [, lines, expected = '']] of steps.entries()) {
    const said = outputs[i]?.replaceAll('\r', '').trim()
    expect(said, lines).toMatch(toPattern(expected.trim()))
  }
})

it('lists every variable of the configuration with what it accepts and its meaning', () => {
  const rows = [...settings.matchAll(/^\| `(\w+)` \| (.+) \| (.*) \| (.+) \|$/gm)]
  const table = rows.map(([, name, , accepts]) => [name, accepts])
  const schema = Object.entries(variables).map(([name, { accepts }]) => [name, accepts])
  expect(table).toEqual(schema)
})

it('lists every command with its options as it is declared', () => {
  const cells = /^\| `(.*)` \| (.*) \|$/gm
  const rows = [...commandList.matchAll(cells)].map((row) =>
    row.slice(1).map((cell) => cell.replaceAll('\\|', '|')),
  )
  const declared = commands.map(({ name, operands = [], options = {}, summary }) => {
    const shown = Object.entries(options).map(([option, entry]) => {
      const value = valueName(entry)
      return `\`--${option}${value ? ` ${value}` : ''}\``
    })
    return [[name, ...operands].join(' '), [summary, shown.join(', ')].join(' ').trim()]
  })
  expect(rows).toEqual(declared)
})

function section(heading: string): string {
  const start = readme.indexOf(`${heading}\n`)
  const end = readme.indexOf('\n## ', start + 1)
  return readme.slice(start, end < 0 ? undefined : end)
}

/** `…` stands for anything on its line. */
function toPattern(expected: string): RegExp {
  const escaped = expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')
  return new RegExp(`^${escaped}$`)
}

async function runShell(script: string, env: Record<string, string>): Promise<string> {
  const shell = spawn('bash', ['-s'], { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(shell, 'close')
  shell.stdin.end(script)
  const output = await text(shell.stdout)
  const [status] = await closed
  if (status !== 0) throw new Error(`the tour ended with status ${status}:\n${output}`)
  return output
}
