// The table of animals. The status of an animal is changed in its row.
import { Menu, NativeSelect, Text } from '@mantine/core'
import { useAnnounce } from '../components/announcements.tsx'
import { Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { explain } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { type Animal, type AnimalStatus, statuses, useChangeAnimal } from './animal-queries.ts'
import classes from './animal-table.module.css'
import { useCategoryNames } from './category-queries.ts'

export interface AnimalTableProps {
  environment: EnvironmentName
  animals: Animal[]
  isStale: boolean
  onEdit: (animal: Animal) => void
  onDelete: (animal: Animal) => void
  onOrder: (animal: Animal) => void
}

export function AnimalTable(props: AnimalTableProps) {
  const { animals, environment, isStale, onDelete, onEdit, onOrder } = props
  const names = useCategoryNames(environment)
  return (
    <Records
      caption="Animals"
      rows={animals}
      keyOf={({ id }) => id}
      isStale={isStale}
      columns={[
        { title: 'ID', isNumber: true, cell: ({ id }) => id },
        { title: 'Name', isHead: true, cell: ({ name }) => name },
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
        {
          title: 'Status',
          cell: (animal) => <StatusChoice animal={animal} environment={environment} />,
        },
        {
          title: 'Actions',
          isActions: true,
          cell: (animal) => (
            <RowMenu of={animal.name}>
              <Menu.Item onClick={() => onEdit(animal)}>Edit</Menu.Item>
              <Menu.Item onClick={() => onOrder(animal)} disabled={animal.status !== 'available'}>
                Place an order
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" onClick={() => onDelete(animal)}>
                Delete
              </Menu.Item>
            </RowMenu>
          ),
        },
      ]}
    />
  )
}

function StatusChoice({
  animal: { id, name, status },
  environment,
}: {
  animal: Animal
  environment: EnvironmentName
}) {
  const change = useChangeAnimal(environment)
  const announce = useAnnounce()
  const failed = (error: unknown): void => announce({ text: explain(error), tone: 'failed' })

  function set(chosen: AnimalStatus): void {
    const before = status
    change.mutate(
      { id, body: { status: chosen } },
      {
        onSuccess: () =>
          announce({
            text: `${name} is ${chosen}.`,
            undo: () => change.mutate({ id, body: { status: before } }, { onError: failed }),
          }),
        onError: failed,
      },
    )
  }

  // While the change is being sent, the select shows it.
  const shown = change.isPending ? (change.variables.body.status ?? status) : status
  return (
    <NativeSelect
      size="xs"
      w={124}
      aria-label={`Status of ${name}`}
      value={shown}
      disabled={change.isPending}
      data={statuses}
      data-status={shown}
      onChange={(event) => set(event.currentTarget.value as AnimalStatus)}
      leftSection={<span className={classes.dot} data-status={shown} />}
      leftSectionWidth={24}
    />
  )
}
