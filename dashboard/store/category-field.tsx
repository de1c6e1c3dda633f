// A category by its ID, any int64 as text. Named categories can also be found by name.
import { Autocomplete, Group, Text } from '@mantine/core'
import { useCategoryNames } from './store-queries.ts'

export function CategoryField({
  onChoose,
  ...field
}: {
  label: string
  name?: string
  value: string
  onChange: (value: string) => void
  /** The user chose a category of the list. */
  onChoose?: (value: string) => void
  onBlur?: () => void
  description?: string
  placeholder?: string
  error?: string | undefined
}) {
  const names = useCategoryNames()
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
