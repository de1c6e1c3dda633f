// Webhooks: the addresses that events are sent to, and their deliveries.
import { Stack } from '@mantine/core'
import { AddButton } from '../components/add-button.tsx'
import { Page } from '../components/page.tsx'
import { Empty, LoadedItems, Loading } from '../components/states.tsx'
import { useEnvironment, useGet } from '../platform/requests.ts'
import { WebhookCard } from './webhook-card.tsx'
import { WebhookForm } from './webhook-forms.tsx'

export function Component() {
  const environment = useEnvironment()
  const webhooks = useGet('GET /store/{environment}/webhooks', {}, { refetchInterval: 10_000 })
  const create = (
    <AddButton title="Create webhook" content={(close) => <WebhookForm close={close} />} />
  )
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
