// Adds an animal, or changes one. Where it was changed meanwhile, the form keeps what was typed and shows the
// current values.
import { Alert, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { isCode } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { checkInteger, parseInteger } from '../platform/numbers.ts'
import {
  type Animal,
  type AnimalPatch,
  type AnimalStatus,
  getAnimal,
  statuses,
  useAddAnimal,
  useChangeAnimal,
} from './animal-queries.ts'
import { CategoryField } from './category-field.tsx'

export interface AnimalDialogProps {
  environment: EnvironmentName
  opened: boolean
  close: () => void
  /** The animal to change; undefined adds one. */
  animal: Animal | undefined
}

export function AnimalDialog(props: AnimalDialogProps) {
  const { animal, close, opened } = props
  return (
    <Dialog opened={opened} close={close} title={animal ? `Edit ${animal.name}` : 'Add animal'}>
      <AnimalForm {...props} />
    </Dialog>
  )
}

function AnimalForm({ animal, close, environment }: AnimalDialogProps) {
  const [status, setStatus] = useState<AnimalStatus>(animal?.status ?? 'available')
  const [current, setCurrent] = useState(animal)
  const add = useAddAnimal(environment)
  const change = useChangeAnimal(environment)
  const announce = useAnnounce()
  const hasChanged = current !== animal && current !== undefined
  const { field, form } = useForm({
    initial: { name: animal?.name ?? '', categoryId: animal ? String(animal.categoryId) : '' },
    checks: { categoryId: checkInteger },
    async send(typed) {
      const input = { name: typed.name, categoryId: parseInteger(typed.categoryId) ?? 0n, status }
      if (current) {
        const { id, version } = current
        try {
          const saved = await change.mutateAsync({ id, version, body: patchOf(current, input) })
          announce({ text: `${saved.name} is saved.` })
        } catch (error) {
          if (!isCode(error, 'precondition_failed')) throw error
          setCurrent(await getAnimal(environment, String(id)))
          return
        }
      } else {
        const added = await add.mutateAsync(input)
        announce({ text: `${added.name} is added with ID ${added.id}.` })
      }
      close()
    },
  })

  return (
    <Form close={close} verb={animal ? 'Save' : 'Add animal'} {...form}>
      {hasChanged && (
        <Alert color="yellow" role="alert" title="This animal was changed meanwhile">
          It is now {current.name}, category {String(current.categoryId)}, {current.status}. Save
          again to overwrite it.
        </Alert>
      )}
      <TextField {...field('name')} label="Name" data-autofocus />
      <CategoryField
        {...field('categoryId')}
        environment={environment}
        label="Category"
        description="The category ID. A category does not need a name."
      />
      <NativeSelect
        label="Status"
        value={status}
        data={statuses}
        onChange={(event) => setStatus(event.currentTarget.value as AnimalStatus)}
      />
    </Form>
  )
}

/** What differs. An unchanged status is not sent, because an open order may hold it. */
function patchOf(animal: Animal, { categoryId, name, status }: Omit<Required<AnimalPatch>, 'id'>) {
  const isSameCategory = String(animal.categoryId) === String(categoryId)
  return {
    ...(name === animal.name ? {} : { name }),
    ...(isSameCategory ? {} : { categoryId }),
    ...(status === animal.status ? {} : { status }),
  }
}
