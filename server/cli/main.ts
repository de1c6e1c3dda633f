// The front door of the command line: finds the command, reads its words, runs it, ends with its status.
import { enableCompileCache } from 'node:module'

enableCompileCache?.()

const { commands } = await import('./commands.ts')
const { describeFailure, readInput, UsageError } = await import('./command.ts')
const { describeAll, describeOne } = await import('./help.ts')

const words = process.argv.slice(2)
const command = commands.find(({ name }) => name.split(' ').every((word, i) => words[i] === word))

if (!command) {
  const asked = words.filter((word) => !word.startsWith('-'))
  const isHelp = asked.length === 0 || words.includes('--help') || asked[0] === 'help'
  const group = commands.filter(({ name }) => name.startsWith(`${asked[0]} `))
  const text = describeAll(group.length > 0 ? group : commands)
  if (isHelp) process.stdout.write(text)
  else
    process.stderr.write(
      `animal-store: there is no command ${JSON.stringify(asked.join(' '))}\n\n${text}`,
    )
  process.exitCode = isHelp && words.length > 0 ? 0 : 2
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
