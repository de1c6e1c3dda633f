// Webhooks: the addresses that events are sent to, and their deliveries.
import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { type EnvironmentName, useEnvironment } from '../platform/environment.ts'
import { useFilters } from '../platform/use-filters.ts'
import { WebhookCard } from './webhook-card.tsx'
import { EditWebhookForm, NewWebhookForm, RotateSecretForm } from './webhook-forms.tsx'
import { useDeleteWebhook, useWebhooks, type Webhook } from './webhook-queries.ts'

export function Component() {
  const environment = useEnvironment()
  return <Webhooks key={environment} environment={environment} />
}

type Asked = 'edit' | 'rotate' | 'delete'

function Webhooks({ environment }: { environment: EnvironmentName }) {
  const webhooks = useWebhooks(environment)
  const { get, set } = useFilters([])
  const [isCreating, setCreating] = useState(false)
  const [asked, setAsked] = useState<{ what: Asked; webhook: Webhook }>()
  const remove = useDeleteWebhook(environment)
  const announce = useAnnounce()
  const close = (): void => setAsked(undefined)
  const webhook = asked?.webhook
  const name = webhook ? nameOf(webhook) : ''
  const create = (
    <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)} data-shortcut="new">
      Create webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      lead={`Events of animals and orders in ${environment} are signed and sent to these addresses. Failed deliveries are retried.`}
      actions={webhooks.data && webhooks.data.items.length > 0 && create}
    >
      <Loaded query={webhooks} loading={<Loading rows={3} height={76} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No webhooks yet" action={create}>
              Get notified of new animals and orders instead of polling the API.
            </Empty>
          ) : (
            <Stack gap="sm">
              {items.map((each) => (
                <WebhookCard
                  key={each.id}
                  environment={environment}
                  webhook={each}
                  name={nameOf(each)}
                  isOpen={get('webhook') === each.id}
                  toggle={() => set({ webhook: get('webhook') === each.id ? '' : each.id })}
                  open={(what) => setAsked({ what, webhook: each })}
                />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <Dialog opened={isCreating} close={() => setCreating(false)} title="Create webhook">
        <NewWebhookForm environment={environment} close={() => setCreating(false)} />
      </Dialog>
      <Dialog opened={asked?.what === 'edit'} close={close} title={`Edit ${name}`}>
        {webhook && <EditWebhookForm environment={environment} webhook={webhook} close={close} />}
      </Dialog>
      <Dialog opened={asked?.what === 'rotate'} close={close} title={`New secret for ${name}`}>
        {webhook && <RotateSecretForm environment={environment} webhook={webhook} close={close} />}
      </Dialog>
      <Confirm
        opened={asked?.what === 'delete'}
        close={close}
        title={`Delete ${name}?`}
        verb="Delete"
        act={async () => {
          if (!webhook) return
          await remove.mutateAsync(webhook.id)
          announce({ text: `${name} is deleted.` })
        }}
      >
        Its pending deliveries and its delivery log are deleted, too.
      </Confirm>
    </Page>
  )
}

/** Its label, or the host of its address. */
function nameOf({ label, url }: Webhook): string {
  if (label !== '') return label
  return URL.canParse(url) ? new URL(url).host : url
}
