// The propagation of a record: how many name servers have it, their answers and that of a public resolver, and how
// long the old answer is cached.
import { Group, Progress, Stack, Text } from '@mantine/core'
import { type Column, Records } from '../../components/records.tsx'
import { Lines, Note, useNow } from '../../components/values.tsx'
import { atClock, span } from '../../platform/formats.ts'
import type { LastCheck } from './domain-queries.ts'

type Propagation = LastCheck['propagation']
type NameServerStatus = Propagation['servers'][number]
type NamedServer = NameServerStatus & { id: string; title: string }

const answerTitles: Record<NameServerStatus['answer'], string> = {
  correct: 'Up to date',
  wrong: 'Wrong value',
  missing: 'No record',
  unknown: 'Unknown',
}
const faultTitles: Record<Exclude<NameServerStatus['state'], 'ok'>, string> = {
  lame: 'Not authoritative',
  refused: 'Refused',
  timeout: 'No response',
  error: 'Server failure',
}

/** How many name servers are up to date, and until when old answers are cached. */
export function PropagationProgress({ propagation }: { propagation: Propagation }) {
  const now = useNow()
  const { cachedUntil, responding, servers, updated } = propagation
  const left = cachedUntil === null ? 0 : new Date(cachedUntil).getTime() - now
  if (updated === servers.length && left <= 0) {
    return (
      <Text size="sm">
        All {servers.length} name servers are up to date, and old answers have expired from caches.
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {updated} of {servers.length} name servers updated
        </Text>
        {cachedUntil !== null && left > 0 && (
          <Note>
            Cached until {atClock(cachedUntil)}, in {span(left)}
          </Note>
        )}
      </Group>
      <Progress
        value={servers.length === 0 ? 0 : (100 * updated) / servers.length}
        aria-label={`${updated} of ${servers.length} name servers updated`}
      />
      {responding < servers.length && (
        <Note>
          {servers.length - responding} of {servers.length} did not respond.
        </Note>
      )}
    </Stack>
  )
}

export function NameServers({ propagation }: { propagation: Propagation }) {
  const now = useNow()
  const { resolver, servers } = propagation
  const rows: NamedServer[] = [
    ...servers.map((status) => ({ ...status, title: status.name ?? status.address })),
    ...(resolver ? [{ ...resolver, title: 'Public resolver' }] : []),
  ].map((row) => ({ ...row, id: `${row.title} ${row.address}` }))
  return <Records caption="Name servers" columns={columnsAt(now)} rows={rows} />
}

function columnsAt(now: number): Column<NamedServer>[] {
  return [
    {
      title: 'Name server',
      isHead: true,
      cell: ({ address, title }) => <Lines first={title} second={address} />,
    },
    {
      title: 'Answer',
      cell: ({ answer, records, state }) => (
        <div>
          <Text size="sm" fw={answer === 'correct' ? 600 : 400}>
            {state === 'ok' ? answerTitles[answer] : faultTitles[state]}
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
      title: 'Cached for',
      cell: ({ cachedUntil }) => {
        const left = cachedUntil === null ? 0 : new Date(cachedUntil).getTime() - now
        return <Text size="sm">{left > 0 ? span(left) : '–'}</Text>
      },
    },
  ]
}
