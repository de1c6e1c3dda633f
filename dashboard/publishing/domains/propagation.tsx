// The propagation clock: what each name server has by now, what caches give, and when the last of them has
// forgotten what was there before.
import { Group, Progress, Stack, Text } from '@mantine/core'
import type { LastCheck } from '../../../server/publishing/domains/checks/check-schema.ts'
import { type Column, Records } from '../../components/records.tsx'
import { atClock, span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'

type Propagation = LastCheck['propagation']
type NameServerStatus = Propagation['servers'][number]
type NamedServer = NameServerStatus & { title: string }

const words: Record<NameServerStatus['answer'], string> = {
  correct: 'up to date',
  wrong: 'something else',
  missing: 'nothing yet',
  unknown: 'not known',
}
const faults: Record<Exclude<NameServerStatus['state'], 'ok'>, string> = {
  lame: 'does not answer for this zone',
  refused: 'refuses to answer',
  timeout: 'does not answer',
  error: 'answers with a failure',
}

export function PropagationClock({ propagation }: { propagation: Propagation }) {
  const now = useNow()
  const { responding, cachedUntil, resolver, servers, updated } = propagation
  const left = cachedUntil === null ? 0 : new Date(cachedUntil).getTime() - now
  if (updated === servers.length && left <= 0) {
    return (
      <Text size="sm">
        All {servers.length} name servers of the zone are up to date, and so are caches.
      </Text>
    )
  }
  const rows: NamedServer[] = [
    ...servers.map((status) => ({ ...status, title: status.name ?? status.address })),
    ...(resolver ? [{ ...resolver, title: 'What others see' }] : []),
  ]
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {updated} of {servers.length} name servers updated
        </Text>
        {cachedUntil !== null && left > 0 && (
          <Text size="sm" c="dimmed">
            Caches have forgotten by {atClock(cachedUntil)}, in {span(left)}
          </Text>
        )}
      </Group>
      <Progress
        value={servers.length === 0 ? 0 : (100 * updated) / servers.length}
        aria-label={`${updated} of ${servers.length} name servers updated`}
      />
      {responding < servers.length && (
        <Text size="sm" c="dimmed">
          {servers.length - responding} of {servers.length} did not answer.
        </Text>
      )}
      <Records
        caption="Name servers"
        columns={columnsAt(now)}
        rows={rows}
        keyOf={({ address, title }) => `${title} ${address}`}
      />
    </Stack>
  )
}

function columnsAt(now: number): Column<NamedServer>[] {
  return [
    {
      title: 'Name server',
      isHead: true,
      cell: ({ address, title }) => (
        <>
          <Text size="sm">{title}</Text>
          <Text size="xs" c="dimmed">
            {address}
          </Text>
        </>
      ),
    },
    {
      title: 'Has',
      cell: ({ answer, records, state }) => (
        <div>
          <Text size="sm" fw={answer === 'correct' ? 600 : 400}>
            {state === 'ok' ? words[answer] : faults[state]}
          </Text>
          {records.map((record) => (
            <Text key={record} size="xs" c="dimmed" ff="monospace">
              {record}
            </Text>
          ))}
        </div>
      ),
    },
    {
      title: 'In caches',
      cell: ({ cachedUntil }) => {
        const left = cachedUntil === null ? 0 : new Date(cachedUntil).getTime() - now
        return <Text size="sm">{left > 0 ? span(left) : '–'}</Text>
      },
    },
  ]
}
