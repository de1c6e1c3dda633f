// A category by its number, any int64 as text. Those that have a name can be found by it.
import { Autocomplete, Group, Text } from '@mantine/core'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { useCategoryNames } from './category-queries.ts'

export interface CategoryFieldProps {
  environment: EnvironmentName
  label: string
  value: string
  onChange: (value: string) => void
  /** One of the list was taken. */
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
        const wanted = search.trim().toLowerCase()
        const isLike = (id: string): boolean =>
          id.startsWith(wanted) || (names.get(id)?.toLowerCase().includes(wanted) ?? false)
        return options.filter((option) => 'value' in option && isLike(option.value)).slice(0, limit)
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
