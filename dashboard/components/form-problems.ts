// Where the words of a refusal belong: beside the field that they are about, or below the form.
import { explain, Refusal } from '../platform/api.ts'

export interface FormProblems {
  /** What is wrong with a field, or with something in it: `categoryId`, `scopes`. */
  at(field: string): string | undefined
  /** What no field of the form is to blame for. */
  other: string | undefined
}

/** `fields` are those that the form has. */
export function problemsOf(error: unknown, fields: readonly string[]): FormProblems {
  if (error === null || error === undefined) return { at: () => undefined, other: undefined }
  const details = error instanceof Refusal ? error.details : []
  const isOf = (path: string, field: string): boolean =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  const homeless = details.filter(({ path }) => !fields.some((field) => isOf(path, field)))
  const others = homeless.map(({ message }) => message).join(' ')
  return {
    at: (field) => details.find(({ path }) => isOf(path, field))?.message,
    other: details.length === 0 ? explain(error) : others === '' ? undefined : others,
  }
}
