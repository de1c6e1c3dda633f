// Animals: filter, page, add, change, import and export them; reset staging.
import { Button, Group, Menu } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { addressOf } from '../../client/management-client.ts'
import { AddButton } from '../components/add-button.tsx'
import { useAnnounce } from '../components/announcements.tsx'
import { type OpenedDialog, useConfirm, useDialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { FilterForm, statusChoice, withoutSpaces } from '../components/filters.tsx'
import { ChevronIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { PagedRecords } from '../components/paged-records.tsx'
import { Empty } from '../components/states.tsx'
import { counted } from '../platform/numbers.ts'
import { useChange, useEnvironment, useGet } from '../platform/requests.ts'
import { useFilters } from '../platform/use-filters.ts'
import { AnimalForm } from './animal-form.tsx'
import { AnimalActions, useAnimalColumns } from './animal-table.tsx'
import { CategoryField } from './category-field.tsx'
import { Import } from './import-animals.tsx'
import {
  type AnimalStatus,
  animalStatuses,
  queriesOf,
  useEnvironmentState,
} from './store-queries.ts'

export function Component() {
  const environment = useEnvironment()
  const filters = useFilters(['status', 'categoryId', 'id'])
  const animals = useGet(
    'GET /store/{environment}/animals',
    { query: filters.query({ limit: 20 }) },
    { placeholderData: keepPreviousData },
  )
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
      <FilterForm<'categoryId' | 'id'>
        filters={filters}
        choice={statusChoice(animalStatuses)}
        clean={withoutSpaces}
      >
        {(field, apply) => (
          <>
            <CategoryField
              {...field('categoryId')}
              label="Category"
              placeholder="All"
              onOptionSubmit={(categoryId) => apply({ categoryId })}
            />
            <TextField
              {...field('id')}
              label="IDs"
              placeholder="12, 15"
              inputMode="numeric"
              data-shortcut="search"
            />
          </>
        )}
      </FilterForm>
      <PagedRecords
        query={animals}
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

function Summary() {
  const state = useEnvironmentState()
  // Keeps the height of the line.
  if (!state) return ' '
  const { available, pending, sold, total } = state.animals
  if (total === 0) return `The animals that ${state.baseUrl} serves.`
  return `${counted(total, 'animal')}: ${counted(available, 'available', 'available')}, ${counted(pending, 'pending', 'pending')}, ${counted(sold, 'sold', 'sold')}.`
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
