// What can be done with the selected animals of a page: change their status, or delete them. Both can be undone.
import { Button, Group, Menu, Paper, Text } from '@mantine/core'
import { useAnnounce, useAttempt } from '../components/announcements.tsx'
import { ChevronIcon } from '../components/icons.tsx'
import { capitalized, counted } from '../platform/numbers.ts'
import { useEnvironment } from '../platform/requests.ts'
import classes from './animal-table.module.css'
import { problemsOf, useDelayedDeletion } from './delayed-deletions.ts'
import { type Animal, type AnimalStatus, animalStatuses, useStoreChange } from './store-queries.ts'

export function AnimalSelection({ animals, clear }: { animals: Animal[]; clear: () => void }) {
  const change = useStoreChange('POST /store/{environment}/animals/changes')
  const remove = useDelayedDeletion(useEnvironment())
  const attempt = useAttempt()
  const announce = useAnnounce()
  if (animals.length === 0) return null

  function setStatus(status: AnimalStatus): void {
    const before = new Map(animals.map((animal) => [animal.id, animal.status]))
    const others = animals.filter((animal) => animal.status !== status)
    const done = change.mutateAsync({
      body: { changes: others.map(({ id, version }) => ({ id, version, status })) },
    })
    const report = ({ items }: Awaited<typeof done>): void => {
      const kept = items.filter(({ problem }) => problem !== null)
      if (kept.length > 0) announce(problemsOf(kept, animals), { isFailure: true })
    }
    attempt(
      done,
      (result) => {
        report(result)
        const changed = result.items.filter(({ problem }) => problem === null)
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
        report(await change.mutateAsync({ body: { changes } }))
      },
    )
  }

  const isOf = (status: AnimalStatus): boolean =>
    animals.every((animal) => animal.status === status)
  const first = animalStatuses.find((status) => !isOf(status))
  return (
    <Paper
      className={classes.selection ?? ''}
      withBorder
      shadow="sm"
      role="toolbar"
      aria-label="Selected animals"
    >
      <Text size="sm" fw={600} role="status">
        {animals.length} selected
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Menu position="bottom-end" withArrow>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="default"
              loading={change.isPending}
              rightSection={<ChevronIcon size={14} />}
            >
              Set status
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {animalStatuses.map((status) => (
              <Menu.Item
                key={status}
                disabled={isOf(status)}
                data-autofocus={status === first || undefined}
                onClick={() => setStatus(status)}
                leftSection={<span className={classes.dot} data-status={status} />}
              >
                {capitalized(status)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button
          size="compact-sm"
          variant="default"
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
