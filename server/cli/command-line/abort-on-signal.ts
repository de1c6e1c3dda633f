// The first SIGINT, SIGTERM or SIGHUP aborts a command, which may undo what it has begun; a second one ends the process.
import { CommandError } from './command.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `end` gives the signals their usual meaning back. */
export function abortOnSignal(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const abort = (name: NodeJS.Signals): void => {
    end()
    controller.abort(new CommandError(`interrupted by ${name}.`))
  }
  const end = (): void => {
    for (const name of signals) process.off(name, abort)
  }
  for (const name of signals) process.on(name, abort)
  return { signal: controller.signal, end }
}
