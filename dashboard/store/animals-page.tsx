// Animals: filter, page, add, change, import and export them; reset staging.
import { Button, Group, Menu } from '@mantine/core'
import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { addressOf } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/dialog.tsx'
import { ChevronIcon, PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { isCode } from '../platform/api.ts'
import { type EnvironmentName, useEnvironment } from '../platform/environment.ts'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { AnimalFilters, animalFilters } from './animal-filters.tsx'
import { AnimalDialog } from './animal-form.tsx'
import {
  type Animal,
  type AnimalStatus,
  type AnimalsQuery,
  useAnimals,
  useDeleteAnimal,
} from './animal-queries.ts'
import { AnimalTable } from './animal-table.tsx'
import { useEnvironmentState, useResetStaging } from './environment-queries.ts'
import { ImportDialog } from './import-dialog.tsx'

const pageLength = 20

export function Component() {
  const environment = useEnvironment()
  // Another environment is another page: open dialogs belong to one of them.
  return <Animals key={environment} environment={environment} />
}

function Animals({ environment }: { environment: EnvironmentName }) {
  const filters = useFilters(animalFilters)
  const animals = useAnimals(environment, filters.query<AnimalsQuery>({ limit: pageLength }))
  const [isAdding, setAdding] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const [isResetting, setResetting] = useState(false)
  const [edited, setEdited] = useState<Animal>()
  const [deleted, setDeleted] = useState<Animal>()
  const remove = useDeleteAnimal(environment)
  const navigate = useNavigate()
  const { set } = filters
  const go = useCallback((cursor: string) => set({ cursor }), [set])
  const found = animals.data
  const isUnfiltered = !filters.isAny && filters.get('cursor') === ''
  const isStaleCursor = isCode(animals.error, 'invalid_cursor')

  const add = (
    <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)} data-shortcut="new">
      Add animal
    </Button>
  )
  return (
    <Page
      title="Animals"
      lead={<Summary environment={environment} />}
      actions={
        <>
          <MoreActions
            environment={environment}
            status={filters.get('status')}
            onImport={() => setImporting(true)}
            onReset={() => setResetting(true)}
          />
          {add}
        </>
      }
    >
      <AnimalFilters environment={environment} filters={filters} />
      {!found && animals.error && (
        <Failed
          error={animals.error}
          retry={isStaleCursor ? () => set({ cursor: '' }) : () => void animals.refetch()}
        />
      )}
      {!found && !animals.error && <Loading rows={8} />}
      {found?.items.length === 0 && found.next === null && (
        <Nothing
          isFiltered={!isUnfiltered}
          add={() => setAdding(true)}
          importFile={() => setImporting(true)}
          showAll={() =>
            set({ ...Object.fromEntries(animalFilters.map((name) => [name, ''])), cursor: '' })
          }
        />
      )}
      {found?.items.length === 0 && found.next !== null && (
        // The API searches a limited number of animals per page.
        <Empty title="No matches on this page">The next pages may have some.</Empty>
      )}
      {found && found.items.length > 0 && (
        <AnimalTable
          environment={environment}
          animals={found.items}
          isStale={animals.isPlaceholderData}
          onEdit={setEdited}
          onDelete={setDeleted}
          onOrder={({ id }) => void navigate(`/store/${environment}/orders?place=${id}`)}
        />
      )}
      {found && (found.items.length > 0 || found.next !== null) && (
        <Pager
          prev={found.prev}
          next={found.next}
          go={go}
          summary={found.total === null ? '' : counted(found.total, 'animal')}
        />
      )}
      <AnimalDialog
        environment={environment}
        opened={isAdding}
        close={() => setAdding(false)}
        animal={undefined}
      />
      <AnimalDialog
        environment={environment}
        opened={edited !== undefined}
        close={() => setEdited(undefined)}
        animal={edited}
      />
      <Confirm
        opened={deleted !== undefined}
        close={() => setDeleted(undefined)}
        title={`Delete ${deleted?.name ?? ''}?`}
        verb="Delete"
        act={async () => deleted && (await remove.mutateAsync(deleted.id))}
      >
        Animal {deleted?.id} is deleted, and its ID is never used again. Its orders are kept.
      </Confirm>
      <ImportDialog
        environment={environment}
        opened={isImporting}
        close={() => setImporting(false)}
      />
      <StagingReset opened={isResetting} close={() => setResetting(false)} />
    </Page>
  )
}

interface NothingProps {
  isFiltered: boolean
  add: () => void
  importFile: () => void
  showAll: () => void
}

function Nothing({ add, importFile, isFiltered, showAll }: NothingProps) {
  return isFiltered ? (
    <Empty
      title="No matching animals"
      action={
        <Button variant="default" onClick={showAll}>
          Show all animals
        </Button>
      }
    />
  ) : (
    <Empty
      title="No animals yet"
      action={
        <Group gap="xs" justify="center">
          <Button onClick={add}>Add the first animal</Button>
          <Button variant="default" onClick={importFile}>
            Import a file
          </Button>
        </Group>
      }
    >
      Add them here, import a file, or use the API with an API key.
    </Empty>
  )
}

function Summary({ environment }: { environment: EnvironmentName }) {
  const { data } = useEnvironmentState(environment)
  // Keeps the height of the line.
  if (!data) return ' '
  const { available, pending, sold, total } = data.animals
  if (total === 0) return `The animals that ${data.baseUrl} serves.`
  return `${counted(total, 'animal')}: ${counted(available, 'available', 'available')}, ${counted(pending, 'pending', 'pending')}, ${counted(sold, 'sold', 'sold')}.`
}

interface MoreActionsProps {
  environment: EnvironmentName
  /** Exports only animals of this status; empty for all. */
  status: string
  onImport: () => void
  onReset: () => void
}

function MoreActions({ environment, onImport, onReset, status }: MoreActionsProps) {
  const which = status === '' ? 'all' : status
  const files = [
    { form: 'csv', title: 'CSV' },
    { form: 'json', title: 'JSON' },
    { form: 'ndjson', title: 'NDJSON' },
  ] as const
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <Button variant="default" rightSection={<ChevronIcon size={16} />}>
          Import, export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onImport}>Import a file</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Export {which} animals</Menu.Label>
        {files.map(({ form, title }) => (
          <Menu.Item
            key={form}
            component="a"
            href={addressOf('GET /store/{environment}/animals/export', {
              params: { environment },
              query: { form, status: (status || undefined) as AnimalStatus | undefined },
            })}
            download
          >
            {title}
          </Menu.Item>
        ))}
        {environment === 'staging' && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" onClick={onReset}>
              Reset staging
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function StagingReset({ close, opened }: { opened: boolean; close: () => void }) {
  const reset = useResetStaging()
  const announce = useAnnounce()
  return (
    <Confirm
      opened={opened}
      close={close}
      title="Reset staging?"
      verb="Reset staging"
      act={async () => {
        const { animals } = await reset.mutateAsync()
        announce({ text: `Staging has its ${counted(animals, 'sample animal')} again.` })
      }}
    >
      All animals, categories and orders of staging are deleted, and the sample animals are
      restored. API keys and webhooks are kept. Production is not affected.
    </Confirm>
  )
}
