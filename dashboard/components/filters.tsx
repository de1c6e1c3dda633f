// Filters of a list. A choice is applied at once, typed text with Enter or when its field is left.
import type { ComboboxItem } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { asChoices } from '../platform/numbers.ts'
import type { Filters } from '../platform/use-filters.ts'
import { SelectField, TextField } from './fields.tsx'
import classes from './filters.module.css'

export function FilterForm<Name extends string>({
  children,
  choice,
  clean = (text) => text.trim(),
  filters,
  isDense = false,
}: {
  filters: Filters
  /** For five fields or more. */
  isDense?: boolean
  /** The filter with a few values. */
  choice: { name: string; label: string; data: ComboboxItem[] }
  /** What is applied of a typed text. */
  clean?: (text: string, name: string) => string
  /** The fields for text. `apply` applies what is typed, and a value that was chosen. */
  children: (
    field: (name: Name) => {
      value: string
      onChange: (value: string) => void
      onBlur: () => void
    },
    apply: (chosen: { [N in Name]?: string }) => void,
  ) => ReactNode
}) {
  const [typed, setTyped] = useState<Record<string, string>>({})

  function apply(chosen: Record<string, string | undefined> = {}): void {
    const texts = Object.entries({ ...typed, ...chosen }).map(
      ([name, text = '']) => [name, clean(text, name)] as const,
    )
    setTyped({})
    if (texts.some(([name, text]) => text !== filters.get(name))) {
      filters.set(Object.fromEntries(texts))
    }
  }

  return (
    <search>
      <form
        className={classes.filters}
        data-dense={isDense}
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        <SelectField
          label={choice.label}
          value={filters.get(choice.name)}
          onChange={(value) => filters.set({ [choice.name]: value })}
          data={[{ value: '', label: 'All' }, ...choice.data]}
        />
        {children(
          (name) => ({
            value: typed[name] ?? filters.get(name),
            onChange: (text) => setTyped({ ...typed, [name]: text }),
            onBlur: () => apply(),
          }),
          apply,
        )}
        <button type="submit" hidden />
      </form>
    </search>
  )
}

/** The filter for the status of a record. */
export const statusChoice = (statuses: readonly string[]) => ({
  name: 'status',
  label: 'Status',
  data: asChoices(statuses),
})

/** For lists of numbers, in which spaces mean nothing. */
export const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '')

/** The one filter of a list: a text, applied with Enter or when its field is left. */
export function SearchForm({
  filters,
  label,
  name,
}: {
  filters: Filters
  name: string
  label: string
}) {
  const [typed, setTyped] = useState<string>()
  const apply = (): void => {
    const text = (typed ?? filters.get(name)).trim()
    setTyped(undefined)
    if (text !== filters.get(name)) filters.set({ [name]: text })
  }
  return (
    <search>
      <form
        className={classes.filters}
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        <TextField
          label={label}
          value={typed ?? filters.get(name)}
          onChange={setTyped}
          onBlur={apply}
          data-shortcut="search"
        />
      </form>
    </search>
  )
}
