// A category by its ID, any int64 as text. Named categories are also found by their name.
import { Autocomplete, Group, Text } from '@mantine/core'
import type { EnvironmentName } from '../platform/environment.ts'
import { useCategoryNames } from './category-queries.ts'

export interface CategoryFieldProps {
  environment: EnvironmentName
  label: string
  name?: string
  value: string
  onChange: (value: string) => void
  /** The user chose one of the list. */
  onChoose?: (value: string) => void
  onBlur?: () => void
  description?: string
  placeholder?: string
  error?: string | undefined
}

export function CategoryField({ environment, onChoose, ...field }: CategoryFieldProps) {
  const names = useCategoryNames(environment)
  return (
    <Autocomplete
      {...field}
      {...(onChoose ? { onOptionSubmit: onChoose } : {})}
      data={[...names.keys()]}
      limit={20}
      filter={({ limit, options, search }) => {
        const text = search.trim().toLowerCase()
        const isMatch = (id: string): boolean =>
          id.startsWith(text) || (names.get(id)?.toLowerCase().includes(text) ?? false)
        return options
          .filter((option) => 'value' in option && isMatch(option.value))
          .slice(0, limit)
      }}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          <Text size="sm">{names.get(option.value)}</Text>
          <Text size="sm" c="dimmed">
            {option.value}
          </Text>
        </Group>
      )}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
