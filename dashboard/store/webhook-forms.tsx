// The forms of webhooks: create, change, new secret. A secret is shown once.
import { Checkbox, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { type FormProblems, problemsOf } from '../components/use-form.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { defaultOverlapSeconds, OverlapField } from './expiry-field.tsx'
import {
  type EventType,
  useChangeWebhook,
  useCreateWebhook,
  useRotateSecret,
  type Webhook,
  type WebhookInput,
} from './webhook-queries.ts'

interface FormProps {
  environment: EnvironmentName
  close: () => void
}

const fields = ['url', 'label', 'events']

const eventTitles: Record<EventType, string> = {
  'pet.created': 'Animal added',
  'pet.updated': 'Animal changed',
  'pet.deleted': 'Animal deleted',
  'order.placed': 'Order placed',
  'order.approved': 'Order approved',
  'order.delivered': 'Order delivered',
  'order.cancelled': 'Order cancelled',
}
const eventTypes = Object.keys(eventTitles) as EventType[]

export function NewWebhookForm({ close, environment }: FormProps) {
  const [input, setInput] = useState<WebhookInput>({ url: '', label: '', events: null })
  const create = useCreateWebhook(environment)
  const problems = problemsOf(create.error, fields)
  if (create.data) return <Secret secret={create.data.secret} close={close} />
  return (
    <Form
      close={close}
      verb="Create webhook"
      submit={() => create.mutate(input)}
      isPending={create.isPending}
      problem={problems.other}
    >
      <Fields input={input} setInput={setInput} problems={problems} />
    </Form>
  )
}

export function EditWebhookForm({ close, environment, webhook }: FormProps & { webhook: Webhook }) {
  const { events, id, label, url } = webhook
  const [input, setInput] = useState<WebhookInput>({ url, label, events })
  const change = useChangeWebhook(environment)
  const announce = useAnnounce()
  const problems = problemsOf(change.error, fields)

  function submit(): void {
    change.mutate(
      { id, ...input },
      {
        onSuccess: () => {
          announce({ text: 'Saved.' })
          close()
        },
      },
    )
  }

  return (
    <Form
      close={close}
      verb="Save"
      submit={submit}
      isPending={change.isPending}
      problem={problems.other}
    >
      <Fields input={input} setInput={setInput} problems={problems} />
    </Form>
  )
}

function Fields({
  input,
  problems,
  setInput,
}: {
  input: WebhookInput
  setInput: (input: WebhookInput) => void
  problems: FormProblems
}) {
  const { events, label, url } = input
  return (
    <>
      <TextField
        label="URL"
        description="Events are sent to this HTTPS address."
        placeholder="https://example.com/hooks"
        type="url"
        value={url}
        onChange={(value) => setInput({ ...input, url: value })}
        error={problems.at('url')}
        data-autofocus
      />
      <TextField
        label="Label"
        description="Optional. The host of the URL is shown without one."
        value={label}
        onChange={(value) => setInput({ ...input, label: value })}
        error={problems.at('label')}
      />
      <Radio.Group
        label="Events"
        value={events === null ? 'all' : 'some'}
        onChange={(value) =>
          setInput({ ...input, events: value === 'all' ? null : ['order.placed'] })
        }
        error={problems.at('events')}
      >
        <Stack gap={6} mt={4}>
          <Radio value="all" label="All, including those added later" />
          <Radio value="some" label="Selected:" />
        </Stack>
      </Radio.Group>
      {events !== null && (
        <Checkbox.Group
          value={events}
          onChange={(chosen) => setInput({ ...input, events: chosen as EventType[] })}
          aria-label="Events to send"
        >
          <SimpleGrid cols={2} spacing={6} pl="xl">
            {eventTypes.map((type) => (
              <Checkbox key={type} value={type} label={eventTitles[type]} description={type} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </>
  )
}

export function RotateSecretForm({
  close,
  environment,
  webhook,
}: FormProps & { webhook: Webhook }) {
  const [overlap, setOverlap] = useState(defaultOverlapSeconds)
  const rotate = useRotateSecret(environment)
  const problems = problemsOf(rotate.error, ['overlapSeconds'])
  if (rotate.data) return <Secret secret={rotate.data.secret} close={close} />
  return (
    <Form
      close={close}
      verb="Create new secret"
      submit={() => rotate.mutate({ id: webhook.id, overlapSeconds: Number(overlap) })}
      isPending={rotate.isPending}
      problem={problems.other}
    >
      <Text>
        For a while, messages are signed with both secrets, so that the receiver can change.
      </Text>
      <OverlapField
        label="Keep the old secret"
        value={overlap}
        onChange={setOverlap}
        error={problems.at('overlapSeconds')}
      />
    </Form>
  )
}

function Secret({ close, secret }: { secret: string; close: () => void }) {
  return (
    <ShownOnce what="secret" secret={secret} close={close}>
      The receiver verifies the signature of each message with it.
    </ShownOnce>
  )
}
