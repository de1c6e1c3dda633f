// The file that animals are imported from or exported to: its format and its errors.
import { type Form, formOfName, forms } from '#store/transfer/forms.ts'
import { CommandError, type Input, UsageError } from '../command-line/command.ts'

/** The format from --format or the file name; undefined for standard input without --format. */
export function readFormat(input: Input, file: string): Form | undefined {
  const chosen = forms.find((known) => known === input.options.format)
  const format = chosen ?? (file === '-' ? undefined : formOfName(file))
  if (format || file === '-') return format
  const name = JSON.stringify(file)
  throw new UsageError(`the file name ${name} has no known format: add --format ${forms.join('|')}`)
}

/** Names the file in its errors, whose codes would otherwise be taken for those of the listener. */
export function asFileError(error: unknown, file: string): unknown {
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code === undefined || !['open', 'read', 'write', 'rename'].includes(syscall ?? ''))
    return error
  const what =
    syscall === 'read' ? 'read' : syscall === 'open' && path === file ? 'opened' : 'written'
  return new CommandError(`${path ?? file} cannot be ${what}: ${code}`)
}

/** Such as `1 animal` or `1,234 animals`. */
export function animals(count: number): string {
  return `${number(count)} ${count === 1 ? 'animal' : 'animals'}`
}

/** With commas between the thousands. */
export function number(count: number): string {
  return count.toLocaleString('en')
}
