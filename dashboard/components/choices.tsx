// Choices of one value or several, each with its title.
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

/** One of several values. */
export function OneOf<Value extends string>({
  descriptions = {},
  onChange,
  titles,
  ...group
}: Omit<ChoicesProps<Value, Value>, 'label' | 'titles'> & {
  label?: string
  'aria-label'?: string
  titles: Record<Value, string>
  descriptions?: Partial<Record<Value, string>>
}) {
  return (
    <Radio.Group {...group} onChange={(value) => onChange(value as Value)}>
      <Stack gap="xs" mt={group.label === undefined ? 0 : 6}>
        {(Object.keys(titles) as Value[]).map((value) => (
          <Radio
            key={value}
            value={value}
            label={titles[value]}
            description={descriptions[value]}
          />
        ))}
      </Stack>
    </Radio.Group>
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
      <OneOf
        label={label}
        titles={{ all: 'All, including those added later', some: 'Selected:' }}
        value={value === null ? 'all' : 'some'}
        onChange={(which) => onChange(which === 'all' ? null : selected)}
        error={error}
      />
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
