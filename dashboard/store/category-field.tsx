// A category, chosen by its name. Its value is the ID as text: any int64, because an animal's category need not have a name.
import { Autocomplete, type AutocompleteProps, Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { Note } from '../components/values.tsx'
import { parseInteger } from '../platform/formats.ts'
import { useGet } from '../platform/requests.ts'
import { useCategoryNames } from './store-queries.ts'

interface CategoryFieldProps
  extends Omit<AutocompleteProps, 'data' | 'onChange' | 'value' | 'onOptionSubmit'> {
  value: string
  /** With an ID, or with what is typed if that is neither an ID nor the name of one category. */
  onChange: (value: string) => void
  onChosen?: (id: string) => void
}

export function CategoryField({ onBlur, onChange, onChosen, value, ...field }: CategoryFieldProps) {
  const [typed, setTyped] = useState<string>()
  const [text] = useDebouncedValue((typed ?? '').trim(), 200)
  const first = useCategoryNames()
  const { data: found } = useGet(
    'GET /store/{environment}/search',
    { query: { text } },
    { enabled: text !== '', placeholderData: keepPreviousData },
  )
  const names = new Map(first)
  for (const { id, name } of found?.categories ?? []) names.set(String(id), name)
  const idOf = (input: string): string | undefined => {
    const wanted = input.trim().toLowerCase()
    const ids = [...names].filter(([, name]) => name.toLowerCase() === wanted)
    return ids.length === 1 ? ids[0]?.[0] : parseInteger(input)?.toString()
  }
  return (
    <Autocomplete
      {...field}
      value={typed ?? names.get(value) ?? value}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      limit={20}
      filter={({ limit, options, search }) => {
        const wanted = search.trim().toLowerCase()
        return options
          .filter(
            (option) =>
              'value' in option &&
              (option.value.startsWith(wanted) || option.label.toLowerCase().includes(wanted)),
          )
          .slice(0, limit)
      }}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          <Text size="sm">{names.get(option.value)}</Text>
          <Note>{option.value}</Note>
        </Group>
      )}
      onChange={(input) => {
        setTyped(input)
        onChange(idOf(input) ?? input)
      }}
      onOptionSubmit={(id) => {
        // After the change to the label of the option, which several categories may have.
        queueMicrotask(() => {
          setTyped(undefined)
          onChange(id)
          onChosen?.(id)
        })
      }}
      onBlur={(event) => {
        if (idOf(typed ?? '') !== undefined) setTyped(undefined)
        onBlur?.(event)
      }}
      autoComplete="off"
      spellCheck={false}
    />
  )
}

/** The problem of a value that is no ID. */
export const checkCategory = (value: string): string | undefined =>
  parseInteger(value) === undefined ? 'Choose a category, or enter the ID of one.' : undefined
