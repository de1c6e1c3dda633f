// The state of a form: what was typed, the problems beside the fields, and whether it is being sent.
import { useState } from 'react'
import { ManagementError } from '../../client/management-client.ts'
import { explain } from '../platform/api.ts'

export interface FormOptions<Name extends string> {
  initial: Record<Name, string>
  /** The problem of a value that cannot be sent. */
  checks?: Partial<Record<NoInfer<Name>, (value: string) => string | undefined>>
  /** May throw a ManagementError. */
  send: (values: Record<Name, string>) => Promise<unknown>
  /** Errors without details that belong to a field, by their code. */
  codes?: Record<string, { field: NoInfer<Name>; message?: string }>
}

export function useForm<Name extends string>(options: FormOptions<Name>) {
  const { checks = {}, codes = {}, initial, send } = options
  const [values, setValues] = useState(initial)
  const [problems, setProblems] = useState<Partial<Record<Name, string | undefined>>>({})
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const names = Object.keys(initial) as Name[]
  const collect = (find: (name: Name) => string | undefined): boolean => {
    const found = names.map((name) => [name, find(name)] as const)
    setProblems(Object.fromEntries(found) as typeof problems)
    return found.some(([, text]) => text !== undefined)
  }

  async function submit(): Promise<void> {
    setProblem(undefined)
    const check = checks as Partial<Record<string, (value: string) => string | undefined>>
    if (collect((name) => check[name]?.(values[name]))) return
    setPending(true)
    try {
      await send(values)
    } catch (error) {
      const { code = '', isOutage = false } = error instanceof ManagementError ? error : {}
      const place = codes[code]
      const { at, other } = problemsOf(error, names)
      if (place) collect((name) => (name === place.field ? (place.message ?? other) : undefined))
      else if (!collect(at) || other) {
        setProblem(isOutage ? `${other} What you typed is still here.` : other)
      }
    } finally {
      setPending(false)
    }
  }

  return {
    values,
    set: (changes: Partial<Record<Name, string>>) => setValues((all) => ({ ...all, ...changes })),
    /** For a Form. */
    form: { submit: () => void submit(), isPending, problem },
    /** For one of its fields. Typing removes the problem. */
    field: (name: Name) => ({
      name,
      value: values[name],
      error: problems[name],
      onChange(value: string) {
        setValues((all) => ({ ...all, [name]: value }))
        setProblems((all) => ({ ...all, [name]: undefined }))
      },
    }),
  }
}

export interface FormProblems {
  /** The problem of a field, or of a part of it: `categoryId`, `scopes`. */
  at(field: string): string | undefined
  /** Problems that belong to no field of the form. */
  other: string | undefined
}

/** Sorts the details of an error by the fields of a form. */
export function problemsOf(error: unknown, fields: readonly string[]): FormProblems {
  if (error === null || error === undefined) return { at: () => undefined, other: undefined }
  const details = error instanceof ManagementError ? error.details : []
  const isOf = (path: string, field: string): boolean =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  const others = details.filter(({ path }) => !fields.some((field) => isOf(path, field)))
  const rest = others.map(({ message }) => message).join(' ')
  return {
    at(field) {
      const found = details.find(({ path }) => isOf(path, field))
      return found && sentenceOf(found.path, found.message)
    },
    other: details.length === 0 ? explain(error) : rest || undefined,
  }
}

/** A message of the API as a sentence below a field, which need not name the field again. */
function sentenceOf(path: string, message: string): string {
  const text = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message
  const end = /[.!?]$/.test(text) ? '' : '.'
  return text.charAt(0).toUpperCase() + text.slice(1) + end
}
