// The propagation clock: what each name server has by now, what caches give, and when the last of them has
// forgotten what was there before.
import { Group, Progress, Stack, Text } from '@mantine/core'
import type { LastCheck } from '../../../server/publishing/domains/checks/check-schema.ts'
import { type Column, Records } from '../../components/records.tsx'
import { atClock, span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'

type Propagation = LastCheck['propagation']
type Hand = Propagation['servers'][number]
type NamedHand = Hand & { title: string }

const words: Record<Hand['has'], string> = {
  expected: 'up to date',
  other: 'something else',
  nothing: 'nothing yet',
  unknown: 'not known',
}
const faults: Record<Exclude<Hand['state'], 'ok'>, string> = {
  lame: 'does not answer for this zone',
  refused: 'refuses to answer',
  silent: 'does not answer',
  failing: 'answers with a failure',
}

export function PropagationClock({ propagation }: { propagation: Propagation }) {
  const now = useNow()
  const { answering, forgottenAt, resolver, servers, updated } = propagation
  const left = forgottenAt === null ? 0 : new Date(forgottenAt).getTime() - now
  if (updated === servers.length && left <= 0) {
    return (
      <Text size="sm">
        All {servers.length} name servers of the zone are up to date, and so are caches.
      </Text>
    )
  }
  const hands: NamedHand[] = [
    ...servers.map((hand) => ({ ...hand, title: hand.name ?? hand.address })),
    ...(resolver ? [{ ...resolver, title: 'What others see' }] : []),
  ]
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {updated} of {servers.length} name servers updated
        </Text>
        {forgottenAt !== null && left > 0 && (
          <Text size="sm" c="dimmed">
            Caches have forgotten by {atClock(forgottenAt)}, in {span(left)}
          </Text>
        )}
      </Group>
      <Progress
        value={servers.length === 0 ? 0 : (100 * updated) / servers.length}
        aria-label={`${updated} of ${servers.length} name servers updated`}
      />
      {answering < servers.length && (
        <Text size="sm" c="dimmed">
          {servers.length - answering} of {servers.length} did not answer.
        </Text>
      )}
      <Records
        caption="Name servers"
        columns={columnsAt(now)}
        rows={hands}
        keyOf={({ address, title }) => `${title} ${address}`}
      />
    </Stack>
  )
}

function columnsAt(now: number): Column<NamedHand>[] {
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
      cell: ({ has, records, state }) => (
        <div>
          <Text size="sm" fw={has === 'expected' ? 600 : 400}>
            {state === 'ok' ? words[has] : faults[state]}
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
      cell: ({ keptUntil }) => {
        const left = keptUntil === null ? 0 : new Date(keptUntil).getTime() - now
        return <Text size="sm">{left > 0 ? span(left) : '–'}</Text>
      },
    },
  ]
}
