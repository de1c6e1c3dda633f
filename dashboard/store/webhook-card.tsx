// One webhook: its state and actions, and its deliveries.
import { Text } from '@mantine/core'
import { ActionButton } from '../components/action-buttons.tsx'
import { useAnnounce, useAttempt } from '../components/announcements.tsx'
import { ExpandableCard } from '../components/expandable-card.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Ago } from '../components/time.tsx'
import { keyOf, useChange, useEnvironment } from '../platform/requests.ts'
import { Deliveries } from './deliveries.tsx'
import { useStoreChange, type Webhook } from './store-queries.ts'
import { RotateSecretForm, WebhookForm } from './webhook-forms.tsx'

const looks = {
  active: { title: 'Active', tone: 'success' },
  failing: { title: 'Failing', tone: 'danger' },
  disabled: { title: 'Paused', tone: 'neutral' },
} as const

export function WebhookCard({ webhook }: { webhook: Webhook }) {
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
      <Text size="sm" c="dimmed">
        {events === null ? 'All events' : events.join(', ')}
      </Text>
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
  const change = useStoreChange('PATCH /store/{environment}/webhooks/{webhookId}')
  const test = useStoreChange('POST /store/{environment}/webhooks/{webhookId}/test')
  // Only the list: the deliveries of the webhook are deleted with it.
  const remove = useChange('DELETE /store/{environment}/webhooks/{webhookId}', {
    queryKey: keyOf('GET /store/{environment}/webhooks', { params: { environment } }),
    exact: true,
  })
  const announce = useAnnounce()
  const attempt = useAttempt()
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
          {
            item: 'Edit',
            title: `Edit ${name}`,
            content: (close) => <WebhookForm webhook={webhook} close={close} />,
          },
          {
            item: isPaused ? 'Resume' : 'Pause',
            act: () =>
              attempt(
                setPaused(!isPaused),
                () => `${name} ${isPaused ? 'resumes' : 'is paused'}.`,
                () => setPaused(isPaused),
              ),
          },
          {
            item: 'New secret',
            title: `New secret for ${name}`,
            content: (close) => <RotateSecretForm webhook={webhook} close={close} />,
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
