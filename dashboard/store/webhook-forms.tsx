// The forms of webhooks: create, change, new secret. A secret is shown once.
import { Checkbox, NativeSelect, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { eventTypes } from '../../server/store/webhooks/event-types.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { DialogForm } from '../components/dialog.tsx'
import { type FormProblems, problemsOf } from '../components/form-problems.ts'
import { ShownOnce } from '../components/shown-once.tsx'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { overlaps } from './overlaps.ts'
import {
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

export function NewWebhookForm({ close, environment }: FormProps) {
  const [input, setInput] = useState<WebhookInput>({ url: '', label: '', events: null })
  const create = useCreateWebhook(environment)
  const problems = problemsOf(create.error, fields)
  if (create.data) return <Secret secret={create.data.secret} close={close} />
  return (
    <DialogForm
      close={close}
      verb="Create webhook"
      submit={() => create.mutate(input)}
      isPending={create.isPending}
      problem={problems.other}
    >
      <Fields input={input} setInput={setInput} problems={problems} />
    </DialogForm>
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
    <DialogForm
      close={close}
      verb="Save"
      submit={submit}
      isPending={change.isPending}
      problem={problems.other}
    >
      <Fields input={input} setInput={setInput} problems={problems} />
    </DialogForm>
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
      <TextInput
        label="Address"
        description="Where events go, by HTTPS."
        placeholder="https://example.com/hooks"
        type="url"
        value={url}
        onChange={(event) => setInput({ ...input, url: event.currentTarget.value })}
        error={problems.at('url')}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label="Label"
        description="What you will know it by; its host without one."
        value={label}
        onChange={(event) => setInput({ ...input, label: event.currentTarget.value })}
        error={problems.at('label')}
        autoComplete="off"
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
          <Radio value="all" label="All, later additions included" />
          <Radio value="some" label="Only these:" />
        </Stack>
      </Radio.Group>
      {events !== null && (
        <Checkbox.Group
          value={events}
          onChange={(chosen) => setInput({ ...input, events: chosen })}
          aria-label="Events to send"
        >
          <SimpleGrid cols={2} spacing={6} pl="xl">
            {eventTypes.map((type) => (
              <Checkbox key={type} value={type} label={type} />
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
  const [overlap, setOverlap] = useState('86400')
  const rotate = useRotateSecret(environment)
  const problems = problemsOf(rotate.error, ['overlapSeconds'])
  if (rotate.data) return <Secret secret={rotate.data.secret} close={close} />
  return (
    <DialogForm
      close={close}
      verb="Make a new secret"
      submit={() => rotate.mutate({ id: webhook.id, overlapSeconds: Number(overlap) })}
      isPending={rotate.isPending}
      problem={problems.other}
    >
      <Text>For a while messages are signed with both, so that none is lost.</Text>
      <NativeSelect
        label="The old secret goes on"
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        data={overlaps}
        error={problems.at('overlapSeconds')}
        data-autofocus
      />
    </DialogForm>
  )
}

function Secret({ close, secret }: { secret: string; close: () => void }) {
  return (
    <ShownOnce what="secret" secret={secret} close={close}>
      The receiver checks the signature of each message with it.
    </ShownOnce>
  )
}
