// The entry point of the command line: finds the command, reads its arguments, runs it, sets the exit status.
import { readProgramVersion } from '#kit/config/config.ts'
import { findNearMiss } from '#kit/schema/near-miss.ts'
import {
  describeAll,
  describeFailure,
  describeOne,
  readInput,
  UsageError,
} from './command-line/command.ts'
import { commands } from './commands.ts'

// Whatever the caller's umask is: databases, keys and exports are for the program's user alone.
process.umask(0o077)

const typed = process.argv.slice(2)
const words = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed
const command = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))

if (typed[0] === '--version') process.stdout.write(`${readProgramVersion()}\n`)
else if (!command) {
  const names = words.filter((word) => !word.startsWith('-'))
  const group = commands.filter(({ name }) => name.startsWith(`${names[0]} `))
  const text = describeAll(group.length > 0 ? group : commands)
  const isKnown = names.length === 0 || (names.length === 1 && group.length > 0)
  if (isKnown && (words.includes('--help') || words.includes('-h'))) process.stdout.write(text)
  else {
    const { describeReplacement } = await import('./run-api.ts')
    const replacement = describeReplacement(names)
    const near = [2, 1]
      .map((length) => names.slice(0, length).join(' '))
      .map((name) =>
        findNearMiss(
          name,
          commands.map((each) => each.name),
        ),
      )
      .find((name) => name !== undefined)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    const problem = isKnown
      ? 'enter a command'
      : `there is no command ${JSON.stringify(names.join(' '))}${hint}`
    process.stderr.write(`animal-store: ${replacement ?? `${problem}\n\n${text.trimEnd()}`}\n`)
    process.exitCode = 2
  }
} else {
  try {
    const input = readInput(command, words.slice(command.name.split(' ').length))
    if (!input.isHelp) process.exitCode = (await command.run(input)) ?? 0
    else process.stdout.write(describeOne(command) + ((await command.moreHelp?.(input)) ?? ''))
  } catch (error) {
    const { message, status } = describeFailure(error)
    const hint = error instanceof UsageError ? ` (see animal-store ${command.name} --help)` : ''
    process.stderr.write(`animal-store: ${message}${hint}\n`)
    // A start that failed half-way has begun to listen, and to poll the database.
    process.exit(status)
  }
}
