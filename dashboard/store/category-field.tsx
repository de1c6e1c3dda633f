// A category by its ID, any int64 as text. Named categories can also be found by name.
import { Autocomplete, type AutocompleteProps, Group, Text } from '@mantine/core'
import { useCategoryNames } from './store-queries.ts'

export function CategoryField(field: Omit<AutocompleteProps, 'data'>) {
  const names = useCategoryNames()
  return (
    <Autocomplete
      {...field}
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
