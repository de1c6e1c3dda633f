// What is entered beside plain fields: the filters of a list, choices with titles, and files. Filters are stored in the
// address: a link shows the same list, and the back button undoes a choice. A choice is applied at once, and so is typed
// text after a short pause.
import {
  Button,
  Center,
  Checkbox,
  type ComboboxItem,
  Radio,
  SimpleGrid,
  Stack,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useRef, useState } from 'react'
import { type NavigateOptions, useSearchParams } from 'react-router'
import { asChoices } from '../platform/formats.ts'
import { SelectField, type TextFieldProps } from './form.tsx'
import classes from './records.module.css'

export function FilterForm<Name extends string>({
  children,
  choice,
  clean = (text) => text.trim(),
  filters,
}: {
  filters: Filters<Name>
  /** The filter with a few values. */
  choice?: { name: string; label: string; data: ComboboxItem[] }
  /** What is applied of a typed text. */
  clean?: (text: string, name: string) => string
  /**
   * The fields for text; the first one is that of the key /. `apply` applies what is typed, and a value that was chosen.
   */
  children: (
    field: (name: Name) => Pick<TextFieldProps, 'value' | 'onChange'> & { onBlur: () => void },
    apply: (chosen: { [N in Name]?: string }) => void,
  ) => ReactNode
}) {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const shown = new Set<Name>()
  const applyLater = useDebouncedCallback(applyTexts, 300)

  function applyTexts(values: Record<string, string | undefined>): void {
    const texts = Object.entries(values).map(
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
            ...(shown.add(name).size === 1 && { 'data-shortcut': 'search' }),
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

export type Filters<Name extends string> = ReturnType<typeof useFilters<Name>>

export function useFilters<const Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams()
  /** Removes the cursor, which belongs to the old filters. */
  const set = (changes: Record<string, string>, options: NavigateOptions = {}): void =>
    setSearch(() => {
      // Of the address itself: what was rendered last may be older.
      const after = new URLSearchParams(window.location.search)
      if (!('cursor' in changes)) after.delete('cursor')
      for (const [name, value] of Object.entries(changes)) {
        if (value === '') after.delete(name)
        else after.set(name, value)
      }
      return after
    }, options)
  /** Empty for a filter that is not set. */
  const get = (name: string): string => search.get(name) ?? ''
  return {
    names,
    get,
    set,
    /** Query parameters for the API: the filters that are set, the cursor, and `more`. */
    query<Query extends object>(more?: Query): Query {
      const chosen = [...names, 'cursor'].filter((name) => get(name) !== '')
      const values = Object.fromEntries(chosen.map((name) => [name, get(name)]))
      // The server validates the values of the address.
      return { ...more, ...values } as Query
    },
    isAny: names.some((name) => get(name) !== ''),
    /** Shows the first page of the whole list. */
    clear: () => set(Object.fromEntries(['cursor', ...names].map((name) => [name, '']))),
  }
}

/** A choice that the address holds, as the props of a SelectField. `usual` is the value without it. */
export function useChoice(name: string, data: ComboboxItem[], usual: string) {
  const { get, set } = useFilters([])
  const value = data.find((item) => item.value === get(name))?.value ?? usual
  return { value, data, onChange: (chosen: string) => set({ [name]: chosen }) }
}

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

interface DropAreaProps {
  onDrop: (dropped: DataTransfer) => void
  children: ReactNode
}

export function DropArea({ children, onDrop }: DropAreaProps) {
  const [isDragOver, setDragOver] = useState(false)
  return (
    // The buttons in it do the same.
    <Center
      mih="11rem"
      p="1.25rem"
      bdrs="md"
      bg={isDragOver ? 'light-dark(#e7f0e8, #1f2f27)' : 'var(--surface)'}
      bd={`2px dashed var(${isDragOver ? '--mantine-primary-color-filled' : '--line'})`}
      onDragOver={(event) => {
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragOver(false)
        onDrop(event.dataTransfer)
      }}
    >
      {children}
    </Center>
  )
}

export function FileButton({
  children,
  isPending = false,
  label,
  onChoose,
  ...input
}: {
  label: string
  accept?: string
  /** Chooses a folder with all its files. */
  webkitdirectory?: ''
  onChoose: (files: FileList) => void
  isPending?: boolean
  children: ReactNode
}) {
  const ref = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button loading={isPending} onClick={() => ref.current?.click()}>
        {children}
      </Button>
      <input
        type="file"
        hidden
        ref={ref}
        aria-label={label}
        {...input}
        onChange={({ currentTarget }) => {
          if (currentTarget.files) onChoose(currentTarget.files)
          // The same file can be chosen again after it was fixed.
          currentTarget.value = ''
        }}
      />
    </>
  )
}
