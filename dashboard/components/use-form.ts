// The state of a form: its values, the problems beside the fields, and whether it is being sent.
import { useState } from 'react'
import { ManagementError } from '../../client/management-client.ts'
import { explain } from '../platform/api.ts'
import { sentenceOf } from './sentence-of.ts'

interface FormOptions<Values extends object> {
  initial: Values
  /** The problem of a value that cannot be sent. */
  checks?: {
    [Name in keyof Values]?: (value: NoInfer<Values>[Name]) => string | undefined
  }
  /** May throw a ManagementError. */
  send: (values: NoInfer<Values>) => Promise<unknown>
  /**
   * Of fields whose changes are shown until they are saved: only texts. `initial` is then what is saved, and what others
   * save meanwhile appears in fields without changes.
   */
  labels?: { [Name in keyof Values]?: string }
  /** Errors without details that belong to a field, by their code. */
  codes?: Record<string, { field: keyof NoInfer<Values>; message?: string }>
}

export function useForm<Values extends object>(options: FormOptions<Values>) {
  type Name = keyof Values & string
  const { checks = {}, codes = {}, initial, labels, send } = options
  const [values, setValues] = useState(initial)
  const [saved, setSaved] = useState(initial)
  const [problems, setProblems] = useState<{ [N in Name]?: string | undefined }>({})
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const names = Object.keys(initial) as Name[]
  const collect = (find: (name: Name) => string | undefined): boolean => {
    const found = Object.fromEntries(names.map((name) => [name, find(name)]))
    setProblems(found as typeof problems)
    return Object.values(found).some((text) => text !== undefined)
  }

  async function submit(): Promise<void> {
    setProblem(undefined)
    const check = checks as { [N in Name]?: (value: Values[N]) => string | undefined }
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
        const hasInput = isOutage && names.some((name) => values[name] !== initial[name])
        setProblem(hasInput ? `${other} What you typed is still here.` : other)
      }
    } finally {
      setPending(false)
    }
  }

  const set = (changes: Partial<Values>): void => setValues((all) => ({ ...all, ...changes }))
  const tracked = names.filter((name) => labels?.[name] !== undefined)
  if (tracked.some((name) => saved[name] !== initial[name])) {
    setSaved(initial)
    const isUnchanged = (name: Name): boolean => values[name] === saved[name]
    set(pick(initial, tracked.filter(isUnchanged)))
  }
  const changed = tracked.filter((name) => values[name] !== initial[name])
  const tracking = labels && {
    changes: changed.map((name) => labels[name] ?? name),
    discard() {
      set(pick(initial, tracked))
      setProblems({})
      setProblem(undefined)
    },
  }
  return {
    values,
    set,
    form: { submit: () => void submit(), isPending, problem, ...tracking },
    /** For one of its fields. Typing removes the problem. */
    field: <N extends Name>(name: N) => ({
      name,
      value: values[name],
      error: problems[name],
      onChange(value: Values[N]) {
        set({ [name]: value } as unknown as Partial<Values>)
        setProblems((all) => ({ ...all, [name]: undefined }))
      },
    }),
  }
}

const pick = <Values extends object>(values: Values, names: (keyof Values)[]): Partial<Values> =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>

/** Sorts the details of an error by the fields of a form: those `at` a field or a part of it, and the others. */
export function problemsOf(error: unknown, fields: readonly string[]) {
  const details = error instanceof ManagementError ? error.details : []
  const isOf = (path: string, field: string): boolean =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  const others = details.filter(({ path }) => !fields.some((field) => isOf(path, field)))
  const rest = others.map(({ message }) => message).join(' ')
  return {
    at(field: string): string | undefined {
      const found = details.filter(({ path }) => isOf(path, field))
      const sentences = found.map(({ message, path }) => sentenceOf(path, message))
      return sentences.length === 0 ? undefined : sentences.join('\n')
    },
    other: details.length === 0 ? explain(error) : rest || undefined,
  }
}
