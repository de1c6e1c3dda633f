// One webhook: its state, and its deliveries below.
import { Button, Collapse, Group, Menu, Paper, Text, Title, UnstyledButton } from '@mantine/core'
import { useAnnounce } from '../components/announcements.tsx'
import { ChevronIcon } from '../components/icons.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { Deliveries } from './deliveries.tsx'
import classes from './webhook-card.module.css'
import { useChangeWebhook, useTestWebhook, type Webhook } from './webhook-queries.ts'

export interface WebhookCardProps {
  environment: EnvironmentName
  webhook: Webhook
  name: string
  isOpen: boolean
  toggle: () => void
  open: (what: 'edit' | 'rotate' | 'delete') => void
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
              <Problem webhook={webhook} />
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

function Problem({ webhook: { disabledAt, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (disabledAt) {
    const why = {
      'by hand': 'Paused',
      gone: 'Paused because the receiver answered 410 Gone,',
      failing: 'Paused because it had failed for too long,',
    }
    return (
      <Text size="sm" component="div">
        {why[disabledReason ?? 'by hand']} <Ago time={disabledAt} />. Events are not sent.
      </Text>
    )
  }
  if (!failingSince) return null
  return (
    <Text size="sm" component="div">
      Failing since <Ago time={failingSince} />. Retrying.
    </Text>
  )
}

function Actions({ open, environment, name, webhook }: WebhookCardProps) {
  const { id, state } = webhook
  const change = useChangeWebhook(environment)
  const test = useTestWebhook(environment)
  const announce = useAnnounce()
  const failed = (error: unknown): void => announce({ text: explain(error), tone: 'failed' })
  const isPaused = state === 'disabled'

  function sendTest(): void {
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
        onSuccess: () => announce({ text: `${name} ${disabled ? 'is paused' : 'resumes'}.`, undo }),
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
        onClick={sendTest}
        aria-label={`Test ${name}`}
      >
        Test
      </Button>
      <RowMenu of={name}>
        <Menu.Item onClick={() => open('edit')}>Edit</Menu.Item>
        <Menu.Item onClick={() => setPaused(!isPaused)}>{isPaused ? 'Resume' : 'Pause'}</Menu.Item>
        <Menu.Item onClick={() => open('rotate')}>New secret</Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" onClick={() => open('delete')}>
          Delete
        </Menu.Item>
      </RowMenu>
    </Group>
  )
}
