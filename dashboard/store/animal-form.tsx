// Adds an animal, or changes one. If the animal was changed in the meantime, the form keeps what was typed and shows the
// current values.
import { Alert } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { checkName, SelectField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { call, isCode } from '../platform/api.ts'
import { asChoices, parseInteger } from '../platform/numbers.ts'
import { useEnvironment } from '../platform/requests.ts'
import { CategoryField, checkCategory } from './category-field.tsx'
import {
  type Animal,
  type AnimalStatus,
  animalStatuses,
  useCategoryNames,
  useStoreChange,
} from './store-queries.ts'

export function AnimalForm({ animal, close }: { animal?: Animal; close: () => void }) {
  const environment = useEnvironment()
  const [current, setCurrent] = useState(animal)
  const add = useStoreChange('POST /store/{environment}/animals')
  const change = useStoreChange('PATCH /store/{environment}/animals/{petId}')
  const announce = useAnnounce()
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
      if (current) {
        const params = { petId: String(current.id) }
        try {
          const saved = await change.mutateAsync({
            params,
            body: changesOf(current, body),
            ifMatch: current.version,
          })
          announce(`${saved.name} is saved.`)
        } catch (error) {
          if (!isCode(error, 'precondition_failed')) throw error
          const route = 'GET /store/{environment}/animals/{petId}'
          setCurrent(await call(route, { params: { environment, ...params } }))
          return
        }
      } else {
        const added = await add.mutateAsync({ body })
        announce(`${added.name} is added with ID ${added.id}.`)
      }
      close()
    },
  })

  return (
    <Form close={close} verb={animal ? 'Save' : 'Add animal'} {...form}>
      {current && current !== animal && (
        <Alert color="yellow" role="alert" title="This animal was changed meanwhile">
          It is now {current.name}, category{' '}
          {categories.get(String(current.categoryId)) ?? String(current.categoryId)},{' '}
          {current.status}. Save again to overwrite it.
        </Alert>
      )}
      <TextField {...field('name')} label="Name" data-autofocus />
      <CategoryField
        {...field('categoryId')}
        label="Category"
        description="A name, or the ID of a category without one."
      />
      <SelectField {...field('status')} label="Status" data={asChoices(animalStatuses)} />
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
