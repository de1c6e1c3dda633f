// The columns of the table of animals. The status of an animal is changed in its row.
import { Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAttempt } from '../components/announcements.tsx'
import { SelectField } from '../components/fields.tsx'
import type { Column } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { asChoices } from '../platform/numbers.ts'
import { useEnvironment } from '../platform/requests.ts'
import { AnimalForm } from './animal-form.tsx'
import classes from './animal-table.module.css'
import { useDelayedDeletion } from './delayed-deletions.ts'
import {
  type Animal,
  type AnimalStatus,
  animalStatuses,
  useCategoryNames,
  useStoreChange,
} from './store-queries.ts'

export function useAnimalColumns(): Column<Animal>[] {
  const names = useCategoryNames()
  return [
    { title: 'ID', isNumber: true, isMinor: true, sort: 'id', cell: ({ id }) => id },
    { title: 'Name', isHead: true, sort: 'name', cell: ({ name }) => name },
    {
      title: 'Category',
      cell: ({ categoryId }) => {
        const id = String(categoryId)
        return (
          <>
            {names.get(id) ?? ''}{' '}
            <Text component="span" size="sm" {...(names.has(id) ? { c: 'dimmed' } : {})}>
              {id}
            </Text>
          </>
        )
      },
    },
    { title: 'Status', cell: (animal) => <StatusChoice animal={animal} /> },
  ]
}

export function AnimalActions({ animal }: { animal: Animal }) {
  const { id, name, status } = animal
  const environment = useEnvironment()
  const remove = useDelayedDeletion(environment)
  const navigate = useNavigate()
  return (
    <RowMenu
      label={`More for ${name}`}
      actions={[
        {
          item: 'Edit',
          title: `Edit ${name}`,
          content: (close) => <AnimalForm animal={animal} close={close} />,
        },
        {
          item: 'Place an order',
          isDisabled: status !== 'available',
          act: () => void navigate(`/store/${environment}/orders?place=${id}`),
        },
        'divider',
        { item: 'Delete', isDestructive: true, act: () => remove([animal]) },
      ]}
    />
  )
}

function StatusChoice({ animal: { id, name, status } }: { animal: Animal }) {
  const change = useStoreChange('PATCH /store/{environment}/animals/{petId}')
  const attempt = useAttempt()
  const set = (chosen: AnimalStatus) =>
    change.mutateAsync({ params: { petId: String(id) }, body: { status: chosen } })
  // While the change is being sent, the select shows it.
  const shown = change.isPending ? (change.variables.body.status ?? status) : status
  return (
    <SelectField
      size="xs"
      w={124}
      aria-label={`Status of ${name}`}
      value={shown}
      disabled={change.isPending}
      data={asChoices(animalStatuses)}
      data-status={shown}
      onChange={(chosen) =>
        attempt(
          set(chosen),
          () => `${name} is ${chosen}.`,
          () => set(status),
        )
      }
      leftSection={<span className={classes.dot} data-status={shown} />}
      leftSectionWidth={24}
    />
  )
}
