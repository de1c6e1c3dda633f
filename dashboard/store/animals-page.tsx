// Animals: filter, page, add, change, import and export them; reset staging. The IDs of deleted animals are never used again,
// so a deletion cannot be undone: it is sent only when its Undo is over, or when the page is left (with `keepalive`, which
// outlives the page). If the browser crashes before that, the animals are still there: nothing is lost in any case.
import { Box, Button, Group, Menu, Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { type Answer, addressOf, type Query } from '../../client/management-client.ts'
import {
  AddButton,
  confirm,
  downloads,
  MenuButton,
  type OpenedDialog,
  openDialog,
  RowMenu,
} from '../components/actions.tsx'
import { SelectField, TextField } from '../components/form.tsx'
import { ChevronIcon } from '../components/icons.tsx'
import { FilterForm, statusChoice, useFilters, withoutSpaces } from '../components/inputs.tsx'
import { Empty, Page } from '../components/page.tsx'
import { type Column, PagedRecords } from '../components/records.tsx'
import { announce, attempt, undoMs } from '../platform/announcements.ts'
import { call, explain } from '../platform/api.ts'
import { asChoices, capitalized, counted, parseInteger } from '../platform/formats.ts'
import { type EnvironmentName, useChange, useEnvironment, useGet } from '../platform/requests.ts'
import { createShared } from '../platform/shared-value.ts'
import { AnimalForm, CategoryField } from './animal-form.tsx'
import { Import } from './import-animals.tsx'
import {
  type Animal,
  type AnimalStatus,
  animalStatuses,
  pageOptions,
  queriesOf,
  useCategoryNames,
  useEnvironmentState,
} from './store-queries.ts'

export function Component() {
  const environment = useEnvironment()
  const filters = useFilters(['status', 'name', 'categoryId', 'id'])
  const sort = filters.get('sort')
  const animals = useGet('GET /store/{environment}/pets', {
    query: filters.query({ limit: 20, ...(sort !== '' && { sort: sort as AnimalOrder }) }),
    ...pageOptions,
  })
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set())
  const deleted = useDeletedIds(environment)
  const shown = animals.data?.items.filter(({ id }) => !deleted.has(id)) ?? []
  // Only what is on the page: nothing is changed unseen.
  const chosen = shown.filter(({ id }) => selected.has(id))
  const columns = useAnimalColumns()
  const add: OpenedDialog = { title: 'Add animal', content: <AnimalForm /> }
  const importFile = (): void =>
    openDialog({ title: `Import animals into ${environment}`, size: 'lg', content: <Import /> })
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
      <FilterForm filters={filters} choice={statusChoice(animalStatuses)} clean={clean}>
        {(field, apply) => (
          <>
            <TextField {...field('name')} label="Name" placeholder="Begins with…" />
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
                <Button variant="filled" onClick={() => openDialog(add)}>
                  Add the first animal
                </Button>
                <Button onClick={importFile}>Import a file</Button>
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

type AnimalOrder = NonNullable<Query<'GET /store/{environment}/pets'>['sort']>

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
  const reset = useChange('POST /store/staging/reset')
  return (
    <MenuButton title="Import, export">
      <Menu.Item onClick={importFile}>Import a file</Menu.Item>
      <Menu.Divider />
      <Menu.Label>Export {status || 'all'} animals</Menu.Label>
      {downloads(['csv', 'json', 'ndjson'], (form) =>
        addressOf('GET /store/{environment}/pets/export', {
          params: { environment },
          query: { form, status: (status || undefined) as AnimalStatus | undefined },
        }),
      )}
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
    </MenuButton>
  )
}

function summaryOf({ animals, baseUrl }: Answer<'GET /store/{environment}'>): string {
  const { available, pending, sold, total } = animals
  if (total === 0) return `The animals that ${baseUrl} serves.`
  return `${counted(total, 'animal')}: ${counted(available, 'available', 'available')}, ${counted(pending, 'pending', 'pending')}, ${counted(sold, 'sold', 'sold')}.`
}

/** What can be done with the selected animals of a page: change their status, or delete them. Both can be undone. */
function AnimalSelection({ animals, clear }: { animals: Animal[]; clear: () => void }) {
  const change = useChange('POST /store/{environment}/pets/changes')
  const remove = useDelayedDeletion(useEnvironment())
  if (animals.length === 0) return null

  function setStatus(status: AnimalStatus): void {
    const before = new Map(animals.map((animal) => [animal.id, animal.status]))
    const others = animals.filter((animal) => animal.status !== status)
    const done = change.mutateAsync({
      body: { changes: others.map(({ id, version }) => ({ id, version, status })) },
    })
    attempt(
      done,
      ({ items }) => {
        announceProblems(items, animals)
        const changed = items.filter(({ problem }) => problem === null)
        if (changed.length > 0) clear()
        return changed.length > 0 && `${counted(changed.length, 'animal')} set to ${status}.`
      },
      async () => {
        // Only animals that nobody has changed since: they still have the version of the response.
        const { items } = await done
        const changes = items.flatMap(({ animal, id }) => {
          const earlier = before.get(id)
          return animal && earlier ? [{ id, version: animal.version, status: earlier }] : []
        })
        announceProblems((await change.mutateAsync({ body: { changes } })).items, animals)
      },
    )
  }

  const isOf = (status: AnimalStatus): boolean =>
    animals.every((animal) => animal.status === status)
  const first = animalStatuses.find((status) => !isOf(status))
  return (
    <Paper
      display="flex"
      pos="sticky"
      top="calc(var(--app-shell-header-height, 0px) + 0.5rem)"
      mb="0.75rem"
      p="0.5rem 0.75rem"
      style={{ zIndex: 2, alignItems: 'center', gap: '0.5rem' }}
      withBorder
      shadow="sm"
      role="toolbar"
      aria-label="Selected animals"
    >
      <Text size="sm" fw={600} role="status">
        {animals.length} selected
      </Text>
      <Group gap="xs" wrap="nowrap" ml="auto">
        <MenuButton
          title="Set status"
          size="compact-sm"
          loading={change.isPending}
          rightSection={<ChevronIcon size={14} />}
        >
          {animalStatuses.map((status) => (
            <Menu.Item
              key={status}
              disabled={isOf(status)}
              data-autofocus={status === first || undefined}
              onClick={() => setStatus(status)}
              leftSection={<Dot status={status} />}
            >
              {capitalized(status)}
            </Menu.Item>
          ))}
        </MenuButton>
        <Button
          size="compact-sm"
          c="red"
          onClick={() => {
            clear()
            remove(animals)
          }}
        >
          Delete
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}

/** The columns of the table of animals. The status of an animal is changed in its row. */
function useAnimalColumns(): Column<Animal>[] {
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

function AnimalActions({ animal }: { animal: Animal }) {
  const { id, name, status } = animal
  const environment = useEnvironment()
  const remove = useDelayedDeletion(environment)
  const navigate = useNavigate()
  return (
    <RowMenu
      label={`More for ${name}`}
      actions={[
        { item: 'Edit', title: `Edit ${name}`, content: <AnimalForm animal={animal} /> },
        {
          item: 'Place an order',
          isDisabled: status !== 'available',
          act: () => void navigate(`/store/${environment}/orders?place=${id}`),
        },
        { item: 'Delete', isDestructive: true, act: () => remove([animal]) },
      ]}
    />
  )
}

const dotColors: Record<AnimalStatus, string> = {
  available: 'light-dark(#2f8f5f, #6fb08a)',
  pending: 'light-dark(#d99400, #ffcb3d)',
  sold: 'var(--mantine-color-dimmed)',
}

const Dot = ({ status }: { status: AnimalStatus }) => (
  <Box component="span" w="0.55rem" h="0.55rem" bdrs="50%" bg={dotColors[status]} />
)

function StatusChoice({ animal: { id, name, status } }: { animal: Animal }) {
  const change = useChange('PATCH /store/{environment}/pets/{petId}')
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
      onChange={(chosen) => attempt(set(chosen), `${name} is ${chosen}.`, () => set(status))}
      leftSection={<Dot status={shown} />}
      leftSectionWidth={24}
    />
  )
}

interface Deletion {
  environment: EnvironmentName
  animals: { id: number; version: string }[]
  timer: ReturnType<typeof setTimeout>
}

const route = 'POST /store/{environment}/pets/deletions'
/** A little longer than Undo is offered. */
const delayMs = undoMs + 500

const waiting = createShared<readonly Deletion[]>([])
const forget = (deletion: Deletion): void =>
  waiting.set(waiting.get().filter((each) => each !== deletion))

addEventListener('pagehide', () => {
  for (const { animals, environment, timer } of waiting.get()) {
    clearTimeout(timer)
    void fetch(addressOf(route, { params: { environment } }), {
      method: 'POST',
      keepalive: true,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ animals }),
    }).catch(() => {})
  }
  waiting.set([])
})

/** The IDs of animals that lists no longer show. */
function useDeletedIds(environment: EnvironmentName): ReadonlySet<number> {
  const own = waiting.useValue().filter((each) => each.environment === environment)
  return new Set(own.flatMap(({ animals }) => animals.map(({ id }) => id)))
}

/** Returns a function that deletes animals, unless it is undone. */
function useDelayedDeletion(environment: EnvironmentName) {
  const client = useQueryClient()
  return (chosen: Animal[]): void => {
    const animals = chosen.map(({ id, version }) => ({ id, version }))
    const what = chosen.length === 1 ? (chosen[0]?.name ?? '') : counted(chosen.length, 'animal')
    const remove = async (): Promise<void> => {
      try {
        const { items } = await call(route, { params: { environment }, body: { animals } })
        announceProblems(items, chosen)
      } catch (error) {
        announce(`${what} not deleted. ${explain(error)}`, { isFailure: true })
      }
      await client.invalidateQueries(queriesOf(environment))
      forget(deletion)
    }
    const timer = setTimeout(() => void remove(), delayMs)
    const deletion: Deletion = { environment, animals, timer }
    waiting.set([...waiting.get(), deletion])
    announce(`${what} deleted.`, {
      async undo() {
        clearTimeout(timer)
        forget(deletion)
      },
    })
  }
}

type Outcome = { id: number; problem: { code: string; message: string } | null }

const maxSentences = 3

/** Why some animals are as before, if there are such: one sentence for each of the first ones. */
function announceProblems(items: Outcome[], animals: Animal[]): void {
  const names = new Map(animals.map(({ id, name }) => [id, name]))
  const sentences = items.flatMap(({ id, problem }) =>
    problem ? [`${names.get(id) ?? id}: ${wordsOf(problem)}`] : [],
  )
  const rest = sentences.length - maxSentences
  const shown = sentences.slice(0, maxSentences)
  if (rest > 0) shown.push(`And ${counted(rest, 'more')}.`)
  if (shown.length > 0) announce(shown.join(' '), { isFailure: true })
}

function wordsOf({ code, message }: { code: string; message: string }): string {
  return code === 'precondition_failed' ? 'Another user has changed it since.' : message
}
