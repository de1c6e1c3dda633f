// Animals: filter, page, add, change, import, export.
import { Button, Group, Menu } from '@mantine/core'
import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { Confirm } from '../components/confirm.tsx'
import { ChevronIcon, PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Refusal } from '../platform/api.ts'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { type EnvironmentName, useEnvironment } from '../shell/navigation.tsx'
import { AnimalFilters, animalFilters } from './animal-filters.tsx'
import { AnimalDialog } from './animal-form.tsx'
import { type Animal, useAnimals, useDeleteAnimal } from './animal-queries.ts'
import { AnimalTable } from './animal-table.tsx'
import { useEnvironmentState } from './environment-queries.ts'
import { ImportDialog } from './import-dialog.tsx'
import { StagingReset } from './staging-reset.tsx'

const pageLength = '20'

export function Component() {
  const environment = useEnvironment()
  // Another environment is another page: nothing that is open here is meant for there.
  return <Animals key={environment} environment={environment} />
}

function Animals({ environment }: { environment: EnvironmentName }) {
  const filters = useFilters(animalFilters)
  const animals = useAnimals(environment, filters.query({ limit: pageLength }))
  const [isAdding, setAdding] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const [isResetting, setResetting] = useState(false)
  const [edited, setEdited] = useState<Animal>()
  const [doomed, setDoomed] = useState<Animal>()
  const remove = useDeleteAnimal(environment)
  const navigate = useNavigate()
  const { set } = filters
  const go = useCallback((cursor: string) => set({ cursor }), [set])
  const found = animals.data
  const isBeginning = !filters.isAny && filters.get('cursor') === ''
  const isStaleCursor = animals.error instanceof Refusal && animals.error.code === 'invalid_cursor'

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
          isFiltered={!isBeginning}
          add={() => setAdding(true)}
          importFile={() => setImporting(true)}
          showAll={() =>
            set({ ...Object.fromEntries(animalFilters.map((name) => [name, ''])), cursor: '' })
          }
        />
      )}
      {found?.items.length === 0 && found.next !== null && (
        // A search that would take long is given up for a moment, and gone on with.
        <Empty title="None was found so far">There are more animals to look through.</Empty>
      )}
      {found && found.items.length > 0 && (
        <AnimalTable
          environment={environment}
          animals={found.items}
          isStale={animals.isPlaceholderData}
          onEdit={setEdited}
          onDelete={setDoomed}
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
        opened={doomed !== undefined}
        close={() => setDoomed(undefined)}
        title={`Delete ${doomed?.name ?? ''}?`}
        verb="Delete"
        act={async () => doomed && (await remove.mutateAsync(doomed.id))}
      >
        Animal {doomed?.id} is removed, and its number is never given again. Orders that name it
        stay.
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
      title="No animal is like this"
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
      Add them here, import a file, or let a program do it with an API key.
    </Empty>
  )
}

function Summary({ environment }: { environment: EnvironmentName }) {
  const { data } = useEnvironmentState(environment)
  // A line as high as the one that comes.
  if (!data) return ' '
  const { available, pending, sold, total } = data.animals
  if (total === 0) return `What ${data.baseUrl} offers.`
  return `${counted(total, 'animal')}: ${counted(available, 'available', 'available')}, ${counted(pending, 'pending', 'pending')}, ${counted(sold, 'sold', 'sold')}.`
}

interface MoreActionsProps {
  environment: EnvironmentName
  status: string
  onImport: () => void
  onReset: () => void
}

function MoreActions({ environment, onImport, onReset, status }: MoreActionsProps) {
  const only = status === '' ? '' : `&status=${status}`
  const which = status === '' ? 'all' : status
  const files = [
    { form: 'csv', title: 'CSV' },
    { form: 'json', title: 'JSON' },
    { form: 'ndjson', title: 'NDJSON' },
  ]
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
            href={`/api/store/${environment}/animals/export?form=${form}${only}`}
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
