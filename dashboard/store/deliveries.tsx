// The deliveries of a webhook, newest first; each unfolds to its attempts.
import { Accordion, Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Failed, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import { counted } from '../platform/numbers.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import classes from './webhook-card.module.css'
import { type Delivery, useDeliveries, useRedeliver } from './webhook-queries.ts'

interface DeliveriesProps {
  environment: EnvironmentName
  webhookId: string
}

const looks = {
  held: { title: 'Held', tone: 'still' },
  waiting: { title: 'Waiting', tone: 'busy' },
  delivered: { title: 'Delivered', tone: 'good' },
  failed: { title: 'Failed', tone: 'bad' },
} as const

export function Deliveries({ environment, webhookId }: DeliveriesProps) {
  const [isFailedOnly, setFailedOnly] = useState(false)
  const deliveries = useDeliveries(environment, webhookId, isFailedOnly)
  const found = deliveries.data?.pages.flatMap(({ items }) => items)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3} size="h6">
          Deliveries
        </Title>
        <Switch
          size="sm"
          label="Only what failed"
          checked={isFailedOnly}
          onChange={(event) => setFailedOnly(event.currentTarget.checked)}
        />
      </Group>
      {!found && deliveries.error && (
        <Failed error={deliveries.error} retry={() => void deliveries.refetch()} />
      )}
      {!found && !deliveries.error && <Loading rows={3} />}
      {found?.length === 0 && (
        <Text c="dimmed">
          {isFailedOnly
            ? 'Nothing has failed.'
            : 'Nothing was sent yet. Events of the last 7 days are listed here.'}
        </Text>
      )}
      {found && found.length > 0 && (
        <Accordion multiple variant="contained" order={4} chevronPosition="left">
          {found.map((delivery) => (
            <OneDelivery
              key={delivery.id}
              delivery={delivery}
              environment={environment}
              webhookId={webhookId}
            />
          ))}
        </Accordion>
      )}
      {deliveries.hasNextPage && (
        <Button
          variant="default"
          size="sm"
          w="fit-content"
          loading={deliveries.isFetchingNextPage}
          onClick={() => void deliveries.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Stack>
  )
}

function OneDelivery({
  delivery,
  environment,
  webhookId,
}: DeliveriesProps & { delivery: Delivery }) {
  const { attempts, createdAt, eventId, id, state, type } = delivery
  const redeliver = useRedeliver(environment, webhookId)
  const announce = useAnnounce()
  return (
    <Accordion.Item value={id}>
      <Accordion.Control>
        <Group gap="xs">
          <Text component="span" size="sm" fw={600}>
            {type}
          </Text>
          <StateBadge tone={looks[state].tone}>{looks[state].title}</StateBadge>
          <Text component="span" size="sm" c="dimmed">
            <Ago time={createdAt} />
            {attempts.length > 1 && `, ${counted(attempts.length, 'attempt')}`}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="xs">
          {state === 'held' && (
            <Text size="sm">It waits for an earlier event of the same animal.</Text>
          )}
          <Attempts attempts={attempts} />
          <Group justify="space-between" align="center">
            <Text size="xs" c="dimmed" ff="monospace">
              {eventId}
            </Text>
            {state !== 'held' && (
              <Button
                size="compact-sm"
                variant="default"
                loading={redeliver.isPending}
                onClick={() =>
                  redeliver.mutate(eventId, {
                    onSuccess: () => announce({ text: 'It is sent anew.' }),
                    onError: (error) => announce({ text: explain(error), tone: 'failed' }),
                  })
                }
              >
                {state === 'waiting' ? 'Try now' : 'Redeliver'}
              </Button>
            )}
          </Group>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

function Attempts({ attempts }: { attempts: Delivery['attempts'] }) {
  if (attempts.length === 0) return <Text size="sm">It was not tried yet.</Text>
  return (
    <ol className={classes.attempts}>
      {attempts.map(({ at, attempt, durationMs, error, nextAt, status }, i) => (
        <li key={attempt} value={attempt}>
          <Text size="sm" component="div">
            {error === null ? `Answered ${status}` : error} in {durationMs} ms, <Ago time={at} />
            {nextAt && i === attempts.length - 1 && (
              <>
                ; tried again <Ago time={nextAt} />
              </>
            )}
          </Text>
        </li>
      ))}
    </ol>
  )
}
