// Animals: filter, page, add, change, import and export them; reset staging.
import { Button, Group, Menu } from '@mantine/core'
import { useState } from 'react'
import { type Answer, addressOf, type Query } from '../../client/management-client.ts'
import { AddButton } from '../components/add-button.tsx'
import { useAnnounce } from '../components/announcements.tsx'
import { type OpenedDialog, useConfirm, useDialog } from '../components/dialog.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { FilterForm, statusChoice, withoutSpaces } from '../components/filters.tsx'
import { ChevronIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { PagedRecords } from '../components/paged-records.tsx'
import { Empty } from '../components/states.tsx'
import { counted, parseInteger } from '../platform/numbers.ts'
import { useChange, useEnvironment, useGet } from '../platform/requests.ts'
import { useFilters } from '../platform/use-filters.ts'
import { AnimalForm } from './animal-form.tsx'
import { AnimalSelection } from './animal-selection.tsx'
import { AnimalActions, useAnimalColumns } from './animal-table.tsx'
import { CategoryField } from './category-field.tsx'
import { useDeletedIds } from './delayed-deletions.ts'
import { Import } from './import-animals.tsx'
import {
  type AnimalStatus,
  animalStatuses,
  pageOptions,
  queriesOf,
  useEnvironmentState,
} from './store-queries.ts'

export function Component() {
  const environment = useEnvironment()
  const filters = useFilters(['status', 'name', 'categoryId', 'id'])
  const sort = filters.get('sort')
  const animals = useGet(
    'GET /store/{environment}/animals',
    { query: filters.query({ limit: 20, ...(sort !== '' && { sort: sort as AnimalOrder }) }) },
    pageOptions,
  )
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const deleted = useDeletedIds(environment)
  const shown = animals.data?.items.filter(({ id }) => !deleted.has(id)) ?? []
  // Only what is on the page: nothing is changed unseen.
  const chosen = shown.filter(({ id }) => selected.has(id))
  const open = useDialog()
  const columns = useAnimalColumns()
  const add: OpenedDialog = {
    title: 'Add animal',
    content: (close) => <AnimalForm close={close} />,
  }
  const importFile = (): void =>
    open({
      title: `Import animals into ${environment}`,
      size: 'lg',
      content: (close) => <Import close={close} />,
    })
  return (
    <Page
      title="Animals"
      lead={<Summary />}
      actions={
        <>
          <MoreActions status={filters.get('status')} importFile={importFile} />
          <AddButton {...add} />
        </>
      }
    >
      <FilterForm<'name' | 'categoryId' | 'id'>
        filters={filters}
        choice={statusChoice(animalStatuses)}
        clean={clean}
      >
        {(field, apply) => (
          <>
            <TextField
              {...field('name')}
              label="Name"
              placeholder="Begins with…"
              data-shortcut="search"
            />
            <CategoryField
              {...field('categoryId')}
              label="Category"
              placeholder="All"
              onChosen={(categoryId) => apply({ categoryId })}
            />
            <TextField {...field('id')} label="IDs" placeholder="12, 15" inputMode="numeric" />
            <SelectField
              label="Order"
              hiddenFrom="md"
              value={sort}
              onChange={(value) => filters.set({ sort: value })}
              data={orders}
            />
          </>
        )}
      </FilterForm>
      <AnimalSelection animals={chosen} clear={() => setSelected(new Set())} />
      <PagedRecords
        query={animals}
        sorting={{
          value: sort || (filters.get('name') === '' ? 'id' : 'name'),
          set: (value) => filters.set({ sort: value === 'id' ? '' : value }),
        }}
        selection={{ ids: selected, set: setSelected, nameOf: ({ name }) => name }}
        isShown={({ id }) => !deleted.has(id)}
        filters={filters}
        caption="Animals"
        columns={columns}
        actions={(animal) => <AnimalActions animal={animal} />}
        unit={['animal']}
        empty={
          <Empty
            title="No animals yet"
            action={
              <Group gap="xs" justify="center">
                <Button onClick={() => open(add)}>Add the first animal</Button>
                <Button variant="default" onClick={importFile}>
                  Import a file
                </Button>
              </Group>
            }
          >
            Add them here, import a file, or use the API with an API key.
          </Empty>
        }
      />
    </Page>
  )
}

type AnimalOrder = NonNullable<Query<'GET /store/{environment}/animals'>['sort']>

const orders: { value: '' | AnimalOrder; label: string }[] = [
  { value: '', label: 'Oldest first' },
  { value: '-id', label: 'Newest first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
]

/** A category that was typed, but not found, filters nothing. */
function clean(text: string, name: string): string {
  if (name === 'name') return text.trimStart()
  const compact = withoutSpaces(text)
  return name === 'categoryId' && parseInteger(compact) === undefined ? '' : compact
}

function Summary() {
  const state = useEnvironmentState()
  // Keeps the height of the line.
  return state ? summaryOf(state) : ' '
}

/** `status` restricts exports to animals of this status, if it is not empty. */
function MoreActions({ importFile, status }: { status: string; importFile: () => void }) {
  const environment = useEnvironment()
  const reset = useChange('POST /store/staging/reset', queriesOf('staging'))
  const announce = useAnnounce()
  const confirm = useConfirm()
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <Button variant="default" rightSection={<ChevronIcon size={16} />}>
          Import, export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={importFile}>Import a file</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Export {status || 'all'} animals</Menu.Label>
        {(['csv', 'json', 'ndjson'] as const).map((form) => (
          <Menu.Item
            key={form}
            component="a"
            href={addressOf('GET /store/{environment}/animals/export', {
              params: { environment },
              query: { form, status: (status || undefined) as AnimalStatus | undefined },
            })}
            download
          >
            {form.toUpperCase()}
          </Menu.Item>
        ))}
        {environment === 'staging' && (
          <>
            <Menu.Divider />
            <Menu.Item
              color="red"
              onClick={() =>
                confirm({
                  title: 'Reset staging?',
                  text: 'All animals, categories and orders of staging are deleted, and the sample animals are restored. API keys and webhooks are kept. Production is not affected.',
                  verb: 'Reset staging',
                  async act() {
                    const { animals } = await reset.mutateAsync({})
                    announce(`Staging has its ${counted(animals, 'sample animal')} again.`)
                  },
                })
              }
            >
              Reset staging
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function summaryOf({ animals, baseUrl }: Answer<'GET /store/{environment}'>): string {
  const { available, pending, sold, total } = animals
  if (total === 0) return `The animals that ${baseUrl} serves.`
  return `${counted(total, 'animal')}: ${counted(available, 'available', 'available')}, ${counted(pending, 'pending', 'pending')}, ${counted(sold, 'sold', 'sold')}.`
}
