// Webhooks: the addresses that events are sent to, and their deliveries. A secret is shown once.
import { Accordion, Box, Group, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { ActionButton, AddButton, RowMenu, ShownOnce } from '../components/actions.tsx'
import { Form, TextField, useForm } from '../components/form.tsx'
import { AllOrSelected } from '../components/inputs.tsx'
import { Empty, LoadedItems, Loading, Page, Section } from '../components/page.tsx'
import { ExpandableCard } from '../components/parts.tsx'
import { Ago, Note, StateBadge } from '../components/values.tsx'
import { announce, attempt } from '../platform/announcements.ts'
import { capitalized, counted } from '../platform/formats.ts'
import { useChange, useEnvironment, useGet, useList } from '../platform/requests.ts'
import { RotateForm } from './rotate-form.tsx'
import type { Webhook } from './store-queries.ts'

export function Component() {
  const environment = useEnvironment()
  const webhooks = useGet('GET /store/{environment}/webhooks', { refetchInterval: 10_000 })
  const create = <AddButton title="Create webhook" content={<WebhookForm />} />
  return (
    <Page
      title="Webhooks"
      lead={`Events of animals and orders in ${environment} are signed and sent to these addresses. Failed deliveries are retried.`}
      actions={webhooks.data && webhooks.data.items.length > 0 && create}
    >
      <LoadedItems
        query={webhooks}
        loading={<Loading rows={3} height={76} />}
        empty={
          <Empty title="No webhooks yet" action={create}>
            Get notified of new animals and orders instead of polling the API.
          </Empty>
        }
      >
        {(items) => (
          <Stack gap="sm">
            {items.map((webhook) => (
              <WebhookCard key={webhook.id} webhook={webhook} />
            ))}
          </Stack>
        )}
      </LoadedItems>
    </Page>
  )
}

const looks = {
  active: { title: 'Active', tone: 'success' },
  failing: { title: 'Failing', tone: 'danger' },
  disabled: { title: 'Paused', tone: 'neutral' },
} as const

function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { events, id, label, state, url } = webhook
  const host = URL.canParse(url) ? new URL(url).host : url
  const name = label === '' ? host : label
  const { title, tone } = looks[state]
  return (
    <ExpandableCard
      kind="webhook"
      id={id}
      title={name}
      level={2}
      tone={tone}
      beside={<StateBadge tone={tone}>{title}</StateBadge>}
      actions={<Actions name={name} webhook={webhook} />}
      details={() => <Deliveries webhookId={id} />}
    >
      <Text size="sm">{url}</Text>
      <Note>{events === null ? 'All events' : events.join(', ')}</Note>
      <Problem webhook={webhook} />
    </ExpandableCard>
  )
}

const pauseReasons = {
  'by hand': 'Paused',
  gone: 'Paused because the receiver answered 410 Gone,',
  failing: 'Paused because it had failed for too long,',
}

function Problem({ webhook: { disabledAt, disabledReason, failingSince } }: { webhook: Webhook }) {
  const since = disabledAt ?? failingSince
  if (!since) return null
  return (
    <Text size="sm" component="div">
      {disabledAt ? pauseReasons[disabledReason ?? 'by hand'] : 'Failing since'}{' '}
      <Ago time={since} />
      {disabledAt ? '. Events are not sent.' : '. Retrying.'}
    </Text>
  )
}

function Actions({ name, webhook }: { name: string; webhook: Webhook }) {
  const environment = useEnvironment()
  const change = useChange('PATCH /store/{environment}/webhooks/{webhookId}')
  const test = useChange('POST /store/{environment}/webhooks/{webhookId}/test')
  // Only the list: the deliveries of the webhook are deleted with it.
  const remove = useChange('DELETE /store/{environment}/webhooks/{webhookId}', [
    { queryKey: ['store', environment, 'webhooks'], exact: true },
  ])
  const params = { webhookId: webhook.id }
  const isPaused = webhook.state === 'disabled'

  async function sendTest(): Promise<void> {
    const { durationMs, error, status } = await test.mutateAsync({ params })
    if (error === null) announce(`${name} answered ${status} in ${durationMs} ms.`)
    else announce(`The test of ${name} failed: ${error}`, { isFailure: true })
  }

  const setPaused = (disabled: boolean) => change.mutateAsync({ params, body: { disabled } })

  return (
    <>
      <ActionButton act={sendTest} label={`Test ${name}`}>
        Test
      </ActionButton>
      <RowMenu
        label={`More for ${name}`}
        actions={[
          { item: 'Edit', title: `Edit ${name}`, content: <WebhookForm webhook={webhook} /> },
          {
            item: isPaused ? 'Resume' : 'Pause',
            act: () =>
              attempt(setPaused(!isPaused), `${name} ${isPaused ? 'resumes' : 'is paused'}.`, () =>
                setPaused(isPaused),
              ),
          },
          {
            item: 'New secret',
            title: `New secret for ${name}`,
            content: <RotateSecretForm webhook={webhook} />,
          },
          {
            title: `Delete ${name}?`,
            text: 'Its pending deliveries and its delivery log are deleted, too.',
            verb: 'Delete',
            act: () => remove.mutateAsync({ params }),
            done: `${name} is deleted.`,
          },
        ]}
      />
    </>
  )
}

type EventType = NonNullable<Webhook['events']>[number]

const eventTitles: Record<EventType, string> = {
  'pet.created': 'Animal added',
  'pet.updated': 'Animal changed',
  'pet.deleted': 'Animal deleted',
  'order.placed': 'Order placed',
  'order.approved': 'Order approved',
  'order.delivered': 'Order delivered',
  'order.cancelled': 'Order cancelled',
}

/** Creates a webhook, or changes one. */
function WebhookForm({ webhook }: { webhook?: Webhook }) {
  const create = useChange('POST /store/{environment}/webhooks')
  const change = useChange('PATCH /store/{environment}/webhooks/{webhookId}')
  const { field, form } = useForm({
    initial: {
      url: webhook?.url ?? '',
      label: webhook?.label ?? '',
      events: webhook?.events ?? null,
    },
    send: async (body) =>
      webhook
        ? await change.mutateAsync({ params: { webhookId: webhook.id }, body })
        : await create.mutateAsync({ body }),
    done: () => webhook !== undefined && 'Saved.',
  })
  if (create.data) return <Secret secret={create.data.secret} />
  return (
    <Form verb={webhook ? 'Save' : 'Create webhook'} {...form}>
      <TextField
        {...field('url', 'URL', 'Events are sent to this HTTPS address.')}
        placeholder="https://example.com/hooks"
        type="url"
      />
      <TextField
        {...field('label', 'Label', 'Optional. The host of the URL is shown without one.')}
      />
      <AllOrSelected
        {...field('events', 'Events')}
        selectionLabel="Events to send"
        titles={eventTitles}
        first={['order.placed']}
        cols={2}
      />
    </Form>
  )
}

function RotateSecretForm({ webhook }: { webhook: Webhook }) {
  const rotate = useChange('POST /store/{environment}/webhooks/{webhookId}/rotate')
  const params = { webhookId: webhook.id }
  if (rotate.data) return <Secret secret={rotate.data.secret} />
  return (
    <RotateForm
      verb="Create new secret"
      label="Keep the old secret"
      rotate={(body) => rotate.mutateAsync({ params, body })}
    >
      For a while, messages are signed with both secrets, so that the receiver can change.
    </RotateForm>
  )
}

function Secret({ secret }: { secret: string }) {
  return (
    <ShownOnce what="secret" secret={secret}>
      The receiver verifies the signature of each message with it.
    </ShownOnce>
  )
}

type Delivery = Answer<'GET /store/{environment}/webhooks/{webhookId}/deliveries'>['items'][number]

const deliveryLooks = {
  held: { title: 'Held', tone: 'neutral' },
  waiting: { title: 'Pending', tone: 'progress' },
  delivered: { title: 'Delivered', tone: 'success' },
  failed: { title: 'Failed', tone: 'danger' },
} as const

/** The deliveries of a webhook, newest first, each with its attempts. */
function Deliveries({ webhookId }: { webhookId: string }) {
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
        {(list) => (
          <Accordion multiple variant="contained" order={4} chevronPosition="left">
            {list.map((delivery) => (
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
  const redeliver = useChange(
    'POST /store/{environment}/webhooks/{webhookId}/deliveries/{eventId}/redeliver',
  )
  return (
    <Accordion.Item value={id}>
      <Accordion.Control>
        <Group gap="xs">
          <Text component="span" size="sm" fw={600}>
            {type}
          </Text>
          <StateBadge tone={deliveryLooks[state].tone}>{deliveryLooks[state].title}</StateBadge>
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
            <Note size="xs" ff="monospace">
              {eventId}
            </Note>
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
    <Box
      component="ol"
      pl={24}
      fz="sm"
      style={{ fontVariantNumeric: 'tabular-nums', listStyle: 'decimal' }}
    >
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
    </Box>
  )
}
