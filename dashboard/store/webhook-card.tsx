// One webhook: how it fares at a glance; its deliveries unfold.
import { Button, Collapse, Group, Menu, Paper, Text, Title, UnstyledButton } from '@mantine/core'
import { useAnnounce } from '../components/announcements.tsx'
import { ChevronIcon } from '../components/icons.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { Deliveries } from './deliveries.tsx'
import classes from './webhook-card.module.css'
import { useChangeWebhook, useTestWebhook, type Webhook } from './webhook-queries.ts'

export interface WebhookCardProps {
  environment: EnvironmentName
  webhook: Webhook
  name: string
  isOpen: boolean
  toggle: () => void
  ask: (what: 'edit' | 'rotate' | 'delete') => void
}

const looks = {
  active: { title: 'Active', tone: 'good' },
  failing: { title: 'Failing', tone: 'bad' },
  disabled: { title: 'Paused', tone: 'still' },
} as const

export function WebhookCard(props: WebhookCardProps) {
  const { environment, isOpen, name, toggle, webhook } = props
  const { events, id, state, url } = webhook
  const panel = `webhook-${id}`
  return (
    <Paper withBorder className={classes.card ?? ''} data-state={state}>
      <Group wrap="nowrap" align="flex-start" justify="space-between" gap={4}>
        <UnstyledButton
          className={classes.head ?? ''}
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={panel}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <span className={classes.chevron} data-open={isOpen}>
              <ChevronIcon />
            </span>
            <div className={classes.title}>
              <Group gap="xs">
                <Title order={2} size="h5" className={classes.name ?? ''}>
                  {name}
                </Title>
                <StateBadge tone={looks[state].tone}>{looks[state].title}</StateBadge>
              </Group>
              <Text size="sm" className={classes.url ?? ''}>
                {url}
              </Text>
              <Text size="sm" c="dimmed">
                {events === null ? 'All events' : events.join(', ')}
              </Text>
              <Trouble webhook={webhook} />
            </div>
          </Group>
        </UnstyledButton>
        <Actions {...props} />
      </Group>
      <Collapse expanded={isOpen} id={panel}>
        {isOpen && (
          <div className={classes.details}>
            <Deliveries environment={environment} webhookId={id} />
          </div>
        )}
      </Collapse>
    </Paper>
  )
}

function Trouble({ webhook: { disabledAt, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (disabledAt) {
    const why = {
      'by hand': 'Paused',
      gone: 'Paused because its receiver answered 410 Gone,',
      failing: 'Paused because it had failed for too long,',
    }
    return (
      <Text size="sm" component="div">
        {why[disabledReason ?? 'by hand']} <Ago time={disabledAt} />. It hears of nothing meanwhile.
      </Text>
    )
  }
  if (!failingSince) return null
  return (
    <Text size="sm" component="div">
      Nothing was taken since <Ago time={failingSince} />. It is tried again and again.
    </Text>
  )
}

function Actions({ ask, environment, name, webhook }: WebhookCardProps) {
  const { id, state } = webhook
  const change = useChangeWebhook(environment)
  const test = useTestWebhook(environment)
  const announce = useAnnounce()
  const failed = (error: unknown): void => announce({ text: explain(error), tone: 'failed' })
  const isPaused = state === 'disabled'

  function tryIt(): void {
    test.mutate(id, {
      onSuccess: ({ durationMs, error, status }) =>
        announce(
          error === null
            ? { text: `${name} answered ${status} in ${durationMs} ms.` }
            : { text: `The test of ${name} failed: ${error}`, tone: 'failed' },
        ),
      onError: failed,
    })
  }

  function setPaused(disabled: boolean): void {
    const undo = (): void => change.mutate({ id, disabled: !disabled }, { onError: failed })
    change.mutate(
      { id, disabled },
      {
        onSuccess: () => announce({ text: `${name} ${disabled ? 'is paused' : 'goes on'}.`, undo }),
        onError: failed,
      },
    )
  }

  return (
    <Group gap={4} wrap="nowrap" className={classes.actions ?? ''}>
      <Button
        size="compact-sm"
        variant="default"
        loading={test.isPending}
        onClick={tryIt}
        aria-label={`Test ${name}`}
      >
        Test
      </Button>
      <RowMenu of={name}>
        <Menu.Item onClick={() => ask('edit')}>Edit</Menu.Item>
        <Menu.Item onClick={() => setPaused(!isPaused)}>{isPaused ? 'Resume' : 'Pause'}</Menu.Item>
        <Menu.Item onClick={() => ask('rotate')}>New secret</Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" onClick={() => ask('delete')}>
          Delete
        </Menu.Item>
      </RowMenu>
    </Group>
  )
}
