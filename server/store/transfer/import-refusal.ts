// What an import is refused for that takes all or nothing.
import { AppError } from '../../platform/errors.ts'
import type { ImportResult } from './import-pets.ts'

/** The path names the line and, where it is of one, the field: `line 17: status`. */
export function importRefusal({ checked, problems, rejected }: ImportResult): AppError {
  const details = problems.map(({ line, path: field, message }) => ({
    path: `line ${line}${field && `: ${field}`}`,
    message,
  }))
  const [first] = details
  const message = `${rejected} of ${checked} records cannot be imported; nothing was. The first: ${first?.path}: ${first?.message}`
  return new AppError('invalid_body', message, { details })
}
