// Filters of a list. A choice is applied at once, typed text with Enter or when its field is left.
import { type ReactNode, useState } from 'react'
import { SelectField } from '../components/fields.tsx'
import type { Filters } from '../platform/use-filters.ts'
import classes from './filters.module.css'

export function FilterForm<Name extends string>({
  children,
  filters,
  statuses,
}: {
  filters: Filters
  statuses: readonly string[]
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
      ([name, text = '']) => [name, text.replaceAll(/\s/g, '')] as const,
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
        onSubmit={(event) => {
          event.preventDefault()
          apply()
        }}
      >
        <SelectField
          label="Status"
          value={filters.get('status')}
          onChange={(status) => filters.set({ status })}
          data={[{ value: '', label: 'All' }, ...statuses]}
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
