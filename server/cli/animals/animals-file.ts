// The file that animals are read from or written to: its form, and what goes wrong with it.
import { type Form, formOfName, forms } from '../../store/transfer/forms.ts'
import { CommandError, type Input, UsageError } from '../command-line/command.ts'

/** The form of the file by --format or its name. Undefined for standard input without --format. */
export function readForm(input: Input, file: string): Form | undefined {
  const { format } = input.options
  const form = forms.find((known) => known === format)
  if (format !== undefined && !form) throw new UsageError(`--format accepts ${forms.join(', ')}`)
  if (form || file === '-') return form
  const found = formOfName(file)
  if (!found) throw new UsageError(unknownForm(file))
  return found
}

/** Why the form of a file is not known. */
export function unknownForm(file: string): string {
  return `the name ${JSON.stringify(file)} does not tell the form: choose --format ${forms.join('|')}`
}

/** A file's own errors, told of the file: as they are they would be taken for those of the listener. */
export function ofFile(error: unknown, file: string): unknown {
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
