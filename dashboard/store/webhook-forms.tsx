// The forms of webhooks: create, change, new secret. A secret is shown once.
import { useAnnounce } from '../components/announcements.tsx'
import { AllOrSelected } from '../components/choices.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { useForm } from '../components/use-form.ts'
import { RotateForm } from './rotate-form.tsx'
import { useStoreChange, type Webhook } from './store-queries.ts'

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
export function WebhookForm({ close, webhook }: { webhook?: Webhook; close: () => void }) {
  const create = useStoreChange('POST /store/{environment}/webhooks')
  const change = useStoreChange('PATCH /store/{environment}/webhooks/{webhookId}')
  const announce = useAnnounce()
  const { field, form } = useForm({
    initial: {
      url: webhook?.url ?? '',
      label: webhook?.label ?? '',
      events: webhook?.events ?? null,
    },
    async send(body) {
      if (!webhook) {
        await create.mutateAsync({ body })
        return
      }
      await change.mutateAsync({ params: { webhookId: webhook.id }, body })
      announce('Saved.')
      close()
    },
  })
  if (create.data) return <Secret secret={create.data.secret} close={close} />
  return (
    <Form close={close} verb={webhook ? 'Save' : 'Create webhook'} {...form}>
      <TextField
        {...field('url')}
        label="URL"
        description="Events are sent to this HTTPS address."
        placeholder="https://example.com/hooks"
        type="url"
        data-autofocus
      />
      <TextField
        {...field('label')}
        label="Label"
        description="Optional. The host of the URL is shown without one."
      />
      <AllOrSelected
        {...field('events')}
        label="Events"
        selectionLabel="Events to send"
        titles={eventTitles}
        first={['order.placed']}
        cols={2}
      />
    </Form>
  )
}

export function RotateSecretForm({ close, webhook }: { webhook: Webhook; close: () => void }) {
  const rotate = useStoreChange('POST /store/{environment}/webhooks/{webhookId}/rotate')
  const params = { webhookId: webhook.id }
  if (rotate.data) return <Secret secret={rotate.data.secret} close={close} />
  return (
    <RotateForm
      close={close}
      verb="Create new secret"
      label="Keep the old secret"
      rotate={(body) => rotate.mutateAsync({ params, body })}
    >
      For a while, messages are signed with both secrets, so that the receiver can change.
    </RotateForm>
  )
}

function Secret({ close, secret }: { secret: string; close: () => void }) {
  return (
    <ShownOnce what="secret" secret={secret} close={close}>
      The receiver verifies the signature of each message with it.
    </ShownOnce>
  )
}
