// Choices of several values, each with its title: permissions of keys and tokens, events of webhooks.
import { Checkbox, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'

interface ChoicesProps<Value extends string, Chosen> {
  label: string
  titles: Partial<Record<Value, string>>
  value: Chosen
  onChange: (value: Chosen) => void
  error?: string | undefined
}

export function Choices<Value extends string>({
  cols = 1,
  isIndented = false,
  label,
  onChange,
  titles,
  ...group
}: ChoicesProps<Value, Value[]> & {
  cols?: number
  /** Its label is for screen readers only. */
  isIndented?: boolean
}) {
  return (
    <Checkbox.Group
      {...group}
      {...(isIndented ? { 'aria-label': label } : { label })}
      onChange={(chosen) => onChange(chosen as Value[])}
    >
      <SimpleGrid cols={cols} spacing={6} mt={4} {...(isIndented ? { pl: 'xl' } : {})}>
        {Object.entries<string | undefined>(titles).map(([value, title]) => (
          <Checkbox key={value} value={value} label={title} description={value} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}

/** All values, those added later too, as null; or the selected ones. */
export function AllOrSelected<Value extends string>({
  cols = 1,
  error,
  first,
  label,
  onChange,
  selectionLabel,
  titles,
  value,
}: ChoicesProps<Value, Value[] | null> & {
  first: Value[]
  /** For screen readers. */
  selectionLabel: string
  cols?: number
}) {
  const [selected, setSelected] = useState(value ?? first)
  return (
    <>
      <Radio.Group
        label={label}
        value={value === null ? 'all' : 'some'}
        onChange={(which) => onChange(which === 'all' ? null : selected)}
        error={error}
      >
        <Stack gap={6} mt={4}>
          <Radio value="all" label="All, including those added later" />
          <Radio value="some" label="Selected:" />
        </Stack>
      </Radio.Group>
      {value !== null && (
        <Choices
          value={value}
          onChange={(chosen) => {
            setSelected(chosen)
            onChange(chosen)
          }}
          label={selectionLabel}
          titles={titles}
          cols={cols}
          isIndented
        />
      )}
    </>
  )
}
