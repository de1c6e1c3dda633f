// Adds an animal, or changes one. When somebody else was faster, what was typed stays and the rest is shown.
import { Alert, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Dialog, DialogForm } from '../components/dialog.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { ask, path, Refusal } from '../platform/api.ts'
import { typedInteger } from '../platform/numbers.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import {
  type Animal,
  type AnimalInput,
  type AnimalStatus,
  statuses,
  useAddAnimal,
  useChangeAnimal,
} from './animal-queries.ts'
import { CategoryField } from './category-field.tsx'

export interface AnimalDialogProps {
  environment: EnvironmentName
  opened: boolean
  close: () => void
  /** To change; undefined adds one. */
  animal: Animal | undefined
}

const fields = ['name', 'categoryId', 'status']

export function AnimalDialog(props: AnimalDialogProps) {
  const { animal, close, opened } = props
  return (
    <Dialog opened={opened} close={close} title={animal ? `Edit ${animal.name}` : 'Add animal'}>
      <AnimalForm {...props} />
    </Dialog>
  )
}

function AnimalForm({ animal, close, environment }: AnimalDialogProps) {
  const [name, setName] = useState(animal?.name ?? '')
  const [category, setCategory] = useState(animal ? String(animal.categoryId) : '')
  const [status, setStatus] = useState<AnimalStatus>(animal?.status ?? 'available')
  const [newest, setNewest] = useState(animal)
  const add = useAddAnimal(environment)
  const change = useChangeAnimal(environment)
  const announce = useAnnounce()
  const isOutrun = newest !== animal && newest !== undefined
  const error = add.error ?? change.error
  const isTooLate = error instanceof Refusal && error.code === 'precondition_failed'
  const problems = problemsOf(isTooLate ? undefined : error, fields)

  async function submit(): Promise<void> {
    const body: AnimalInput = { name, categoryId: typedInteger(category), status }
    try {
      if (newest) {
        const { id, version } = newest
        const changed = await change.mutateAsync({ id, version, body: differing(newest, body) })
        announce({ text: `${changed.name} is saved.` })
      } else {
        const added = await add.mutateAsync(body)
        announce({ text: `${added.name} is added with ID ${added.id}.` })
      }
      close()
    } catch (thrown) {
      // The form shows it; here only what makes another attempt possible.
      if (newest && thrown instanceof Refusal && thrown.code === 'precondition_failed') {
        const id = String(newest.id)
        setNewest(
          await ask<Animal>(path`GET /store/${environment}/animals/${id}`).catch(() => newest),
        )
      }
    }
  }

  return (
    <DialogForm
      close={close}
      verb={animal ? 'Save' : 'Add animal'}
      submit={() => void submit()}
      isPending={add.isPending || change.isPending}
      problem={problems.other}
    >
      {isOutrun && (
        <Alert color="yellow" role="alert" title="Somebody has changed it meanwhile">
          It is now {newest.name}, category {String(newest.categoryId)}, {newest.status}. Save again
          to put yours in its place.
        </Alert>
      )}
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problems.at('name')}
        autoComplete="off"
        data-autofocus
      />
      <CategoryField
        environment={environment}
        label="Category"
        description="Its number. A category need not have a name."
        value={category}
        onChange={setCategory}
        error={problems.at('categoryId')}
      />
      <NativeSelect
        label="Status"
        value={status}
        data={statuses}
        onChange={(event) => setStatus(event.currentTarget.value as AnimalStatus)}
        error={problems.at('status')}
      />
    </DialogForm>
  )
}

/** What differs from an animal: a status that stays is not sent, since an open order may hold it. */
function differing(animal: Animal, wanted: AnimalInput): AnimalInput {
  const isSameCategory = String(animal.categoryId) === String(wanted.categoryId)
  return {
    ...(wanted.name === animal.name ? {} : { name: wanted.name ?? '' }),
    ...(isSameCategory ? {} : { categoryId: wanted.categoryId ?? '' }),
    ...(wanted.status === animal.status || !wanted.status ? {} : { status: wanted.status }),
  }
}
