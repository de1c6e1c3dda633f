// The text of a file that an option names; `-` is standard input.
import { readFileSync } from 'node:fs'
import { CommandError } from './command.ts'

/** Throws a CommandError. */
export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'ENOENT' ? `there is no ${file}` : `${file} cannot be read: ${message}`,
    )
  }
}
