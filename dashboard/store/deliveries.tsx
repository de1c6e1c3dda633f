// The deliveries of a webhook, newest first, each with its attempts.
import { Accordion, Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { LoadedPages, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { counted } from '../platform/numbers.ts'
import classes from './webhook-card.module.css'
import { type Delivery, useDeliveries, useRedeliver } from './webhook-queries.ts'

interface DeliveriesProps {
  environment: EnvironmentName
  webhookId: string
}

const looks = {
  held: { title: 'Held', tone: 'still' },
  waiting: { title: 'Pending', tone: 'busy' },
  delivered: { title: 'Delivered', tone: 'good' },
  failed: { title: 'Failed', tone: 'bad' },
} as const

export function Deliveries({ environment, webhookId }: DeliveriesProps) {
  const [isFailedOnly, setFailedOnly] = useState(false)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3} size="h6">
          Deliveries
        </Title>
        <Switch
          size="sm"
          label="Failed only"
          checked={isFailedOnly}
          onChange={(event) => setFailedOnly(event.currentTarget.checked)}
        />
      </Group>
      <LoadedPages
        query={useDeliveries(environment, webhookId, isFailedOnly)}
        loading={<Loading rows={3} />}
      >
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Text c="dimmed">
              {isFailedOnly
                ? 'No failed deliveries.'
                : 'No deliveries yet. Those of the last 7 days are listed here.'}
            </Text>
          ) : (
            <Accordion multiple variant="contained" order={4} chevronPosition="left">
              {deliveries.map((delivery) => (
                <OneDelivery
                  key={delivery.id}
                  delivery={delivery}
                  environment={environment}
                  webhookId={webhookId}
                />
              ))}
            </Accordion>
          )
        }
      </LoadedPages>
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
            <Text size="sm">Held until an earlier event of the same animal is delivered.</Text>
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
                    onSuccess: () => announce({ text: 'Sending again.' }),
                    onError: (error) => announce({ text: explain(error), tone: 'failed' }),
                  })
                }
              >
                {state === 'waiting' ? 'Retry now' : 'Redeliver'}
              </Button>
            )}
          </Group>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

function Attempts({ attempts }: { attempts: Delivery['attempts'] }) {
  if (attempts.length === 0) return <Text size="sm">No attempts yet.</Text>
  return (
    <ol className={classes.attempts}>
      {attempts.map(({ at, attempt, durationMs, error, nextAt, status }, i) => (
        <li key={attempt} value={attempt}>
          <Text size="sm" component="div">
            {error === null ? `Answered ${status}` : error} in {durationMs} ms, <Ago time={at} />
            {nextAt && i === attempts.length - 1 && (
              <>
                . Retrying <Ago time={nextAt} />
              </>
            )}
          </Text>
        </li>
      ))}
    </ol>
  )
}
