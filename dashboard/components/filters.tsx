// Filters of a list. A choice is applied at once, and so is typed text after a short pause.
import type { ComboboxItem } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
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
}: {
  filters: Filters
  /** The filter with a few values. */
  choice?: { name: string; label: string; data: ComboboxItem[] }
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

  const applyLater = useDebouncedCallback(applyTexts, 300)

  function applyTexts(given: Record<string, string | undefined>): void {
    const texts = Object.entries(given).map(
      ([name, text = '']) => [name, clean(text, name)] as const,
    )
    const changed = texts.filter(([name, text]) => text !== filters.get(name))
    if (changed.length === 0) return
    // The back button undoes a search, not each of its letters.
    const replace = changed.every(([name, text]) => filters.get(name) !== '' && text !== '')
    filters.set(Object.fromEntries(texts), { replace })
  }

  function apply(chosen: Record<string, string | undefined> = {}): void {
    applyLater.cancel()
    setTyped({})
    applyTexts({ ...typed, ...chosen })
  }

  function type(name: string, text: string): void {
    const all = { ...typed, [name]: text }
    setTyped(all)
    applyLater(all)
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
        {choice && (
          <SelectField
            label={choice.label}
            value={filters.get(choice.name)}
            onChange={(value) => filters.set({ [choice.name]: value })}
            data={[{ value: '', label: 'All' }, ...choice.data]}
          />
        )}
        {children(
          (name) => ({
            value: typed[name] ?? filters.get(name),
            onChange: (text) => type(name, text),
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
export const withoutSpaces = (text: string): string => text.replaceAll(/\s|,$/g, '')

/** The one filter of a list: a text. */
export function SearchForm({
  filters,
  label,
  name,
}: {
  filters: Filters
  name: string
  label: string
}) {
  return (
    <FilterForm<string> filters={filters}>
      {(field) => <TextField {...field(name)} label={label} data-shortcut="search" />}
    </FilterForm>
  )
}
