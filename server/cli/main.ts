// The front door of the command line: finds the command, reads its words, runs it, ends with its status.
import { enableCompileCache } from 'node:module'

enableCompileCache?.()

const { commands } = await import('./commands.ts')
const { describeFailure, readInput, UsageError } = await import('./command-line/command.ts')
const { describeAll, describeOne } = await import('./command-line/help.ts')

const words = process.argv.slice(2)
const command = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))

if (!command) {
  const asked = words.filter((word) => !word.startsWith('-'))
  const isHelp = words.includes('--help') || words.includes('-h') || asked[0] === 'help'
  const group = commands.filter(({ name }) => name.startsWith(`${asked[0]} `))
  const text = describeAll(group.length > 0 ? group : commands)
  if (isHelp) process.stdout.write(text)
  else {
    const problem =
      asked.length > 0 ? `there is no command ${JSON.stringify(asked.join(' '))}` : 'say a command'
    process.stderr.write(`animal-store: ${problem}\n\n${text}`)
  }
  process.exitCode = isHelp ? 0 : 2
} else {
  try {
    const input = readInput(command, words.slice(command.name.split(' ').length))
    if (input) process.exitCode = (await command.run(input)) ?? 0
    else process.stdout.write(describeOne(command))
  } catch (error) {
    const { message, status } = describeFailure(error)
    const hint = error instanceof UsageError ? ` (see animal-store ${command.name} --help)` : ''
    process.stderr.write(`animal-store: ${message}${hint}\n`)
    process.exitCode = status
  }
}
