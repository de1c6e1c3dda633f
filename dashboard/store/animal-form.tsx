// The form that adds an animal or changes one, and the field for its category, which filters the list, too. The value of that
// is the ID as text: any int64, because an animal's category need not have a name.
import { Alert, Autocomplete, type AutocompleteProps, Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { checkName, Form, SelectField, TextField, useForm } from '../components/form.tsx'
import { Note } from '../components/values.tsx'
import { call, isCode } from '../platform/api.ts'
import { asChoices, parseInteger } from '../platform/formats.ts'
import { useChange, useEnvironment, useGet } from '../platform/requests.ts'
import {
  type Animal,
  type AnimalStatus,
  animalStatuses,
  useCategoryNames,
} from './store-queries.ts'

/**
 * Adds an animal, or changes one. If the animal was changed in the meantime, the form keeps what was typed and shows the
 * current values.
 */
export function AnimalForm({ animal }: { animal?: Animal }) {
  const environment = useEnvironment()
  const [current, setCurrent] = useState(animal)
  const add = useChange('POST /store/{environment}/pets')
  const change = useChange('PATCH /store/{environment}/pets/{petId}')
  const categories = useCategoryNames()
  const { field, form } = useForm({
    initial: {
      name: animal?.name ?? '',
      categoryId: animal ? String(animal.categoryId) : '',
      status: animal?.status ?? ('available' as AnimalStatus),
    },
    checks: { name: checkName(255), categoryId: checkCategory },
    async send({ categoryId, name, status }) {
      const body = { name, categoryId: parseInteger(categoryId) ?? 0n, status }
      if (!current) return await add.mutateAsync({ body })
      const params = { petId: String(current.id) }
      const changes = changesOf(current, body)
      try {
        return await change.mutateAsync({ params, body: changes, ifMatch: current.version })
      } catch (error) {
        if (!isCode(error, 'precondition_failed')) throw error
        const route = 'GET /store/{environment}/pets/{petId}'
        setCurrent(await call(route, { params: { environment, ...params } }))
        return undefined
      }
    },
    done: (saved) =>
      saved ? `${saved.name} is ${animal ? 'saved' : `added with ID ${saved.id}`}.` : false,
  })

  return (
    <Form verb={animal ? 'Save' : 'Add animal'} {...form}>
      {current && current !== animal && (
        <Alert color="yellow" role="alert" title="This animal was changed meanwhile">
          It is now {current.name}, category{' '}
          {categories.get(String(current.categoryId)) ?? String(current.categoryId)},{' '}
          {current.status}. Save again to overwrite it.
        </Alert>
      )}
      <TextField {...field('name', 'Name')} />
      <CategoryField
        {...field('categoryId', 'Category', 'A name, or the ID of a category without one.')}
      />
      <SelectField {...field('status', 'Status')} data={asChoices(animalStatuses)} />
    </Form>
  )
}

/** The fields that differ. An unchanged status is not sent, because an open order may hold it. */
function changesOf(animal: Animal, input: Record<'name' | 'categoryId' | 'status', unknown>) {
  return Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => String(value) !== String(animal[name as keyof Animal]),
    ),
  )
}

interface CategoryFieldProps
  extends Omit<AutocompleteProps, 'data' | 'onChange' | 'value' | 'onOptionSubmit'> {
  value: string
  /** With an ID, or with what is typed if that is neither an ID nor the name of one category. */
  onChange: (value: string) => void
  onChosen?: (id: string) => void
}

/** A category, chosen by its name. */
export function CategoryField({ onBlur, onChange, onChosen, value, ...field }: CategoryFieldProps) {
  const [typed, setTyped] = useState<string>()
  const [text] = useDebouncedValue((typed ?? '').trim(), 200)
  const first = useCategoryNames()
  const { data: results } = useGet('GET /store/{environment}/search', {
    query: { text },
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const names = new Map(first)
  for (const { id, name } of results?.categories ?? []) names.set(String(id), name)
  const idOf = (input: string): string | undefined => {
    const search = input.trim().toLowerCase()
    const ids = [...names].filter(([, name]) => name.toLowerCase() === search)
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
const checkCategory = (value: string): string | undefined =>
  parseInteger(value) === undefined ? 'Choose a category, or enter the ID of one.' : undefined
