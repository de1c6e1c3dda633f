// The deliveries of a webhook, newest first, each with its attempts.
import { Accordion, Group, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { ActionButton } from '../components/action-buttons.tsx'
import { Section } from '../components/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { LoadedItems, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { capitalized, counted } from '../platform/numbers.ts'
import { useList } from '../platform/requests.ts'
import classes from './deliveries.module.css'
import { useStoreChange } from './store-queries.ts'

type Delivery = Answer<'GET /store/{environment}/webhooks/{webhookId}/deliveries'>['items'][number]

const looks = {
  held: { title: 'Held', tone: 'neutral' },
  waiting: { title: 'Pending', tone: 'progress' },
  delivered: { title: 'Delivered', tone: 'success' },
  failed: { title: 'Failed', tone: 'danger' },
} as const

export function Deliveries({ webhookId }: { webhookId: string }) {
  const [isFailedOnly, setFailedOnly] = useState(false)
  const deliveries = useList(
    'GET /store/{environment}/webhooks/{webhookId}/deliveries',
    'before',
    { params: { webhookId }, query: { limit: 20, failed: `${isFailedOnly}` } },
    (first) => (first?.items.some(({ state }) => state === 'waiting') ? 2000 : 10_000),
  )
  return (
    <Section
      title="Deliveries"
      level={3}
      size="h6"
      actions={
        <Switch
          size="sm"
          label="Failed only"
          checked={isFailedOnly}
          onChange={(event) => setFailedOnly(event.currentTarget.checked)}
        />
      }
    >
      <LoadedItems
        query={deliveries}
        loading={<Loading rows={3} />}
        empty={
          <Text c="dimmed">
            {isFailedOnly
              ? 'No failed deliveries.'
              : 'No deliveries yet. Those of the last 7 days are listed here.'}
          </Text>
        }
      >
        {(found) => (
          <Accordion multiple variant="contained" order={4} chevronPosition="left">
            {found.map((delivery) => (
              <OneDelivery key={delivery.id} delivery={delivery} webhookId={webhookId} />
            ))}
          </Accordion>
        )}
      </LoadedItems>
    </Section>
  )
}

function OneDelivery({ delivery, webhookId }: { delivery: Delivery; webhookId: string }) {
  const { attempts, createdAt, eventId, id, state, type } = delivery
  const redeliver = useStoreChange(
    'POST /store/{environment}/webhooks/{webhookId}/deliveries/{eventId}/redeliver',
  )
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
              <ActionButton
                act={() => redeliver.mutateAsync({ params: { webhookId, eventId } })}
                done="Sending again."
              >
                {state === 'waiting' ? 'Retry now' : 'Redeliver'}
              </ActionButton>
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
            {error === null ? `Answered ${status}` : capitalized(error)} in {durationMs} ms,{' '}
            <Ago time={at} />
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
