// Access tokens, with which programs act as the account.
import { Button, Group, Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { Choices } from '../components/choices.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { useDialog } from '../components/dialog.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, LoadedItems } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { useAccount } from '../platform/use-account.ts'
import { useNow } from '../platform/use-now.ts'

type AccessToken = Answer<'GET /account/tokens'>['items'][number]
type TokenScope = AccessToken['scopes'][number]

const changed = { queryKey: ['account', 'tokens'] }

export function TokensSection() {
  const tokens = useGet('GET /account/tokens')
  const revoke = useChange('DELETE /account/tokens/{tokenId}', changed)
  const revokeAll = useChange('DELETE /account/tokens', changed)
  const open = useDialog()
  const now = useNow()
  return (
    <Section
      title="Access tokens"
      actions={
        <Group gap={8}>
          {(tokens.data?.items.length ?? 0) > 1 && (
            <ConfirmButton
              confirmation={{
                title: 'Revoke all access tokens?',
                text: 'Programs that use them are refused from their next request on.',
                verb: 'Revoke all',
                act: () => revokeAll.mutateAsync({}),
                done: 'All access tokens are revoked.',
              }}
            />
          )}
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() =>
              open({
                title: 'Create access token',
                content: (close) => <TokenForm close={close} />,
              })
            }
            data-shortcut="new"
          >
            Create token
          </Button>
        </Group>
      }
    >
      <LoadedItems
        query={tokens}
        empty={
          <Empty title="No access tokens">
            Create one for the command line or for CI. Tokens act as your account.
          </Empty>
        }
      >
        {(items) => (
          <Records
            caption="Access tokens"
            rows={items}
            columns={[
              {
                title: 'Label',
                isHead: true,
                cell: ({ expiresAt, label }) => (
                  <Group gap={6}>
                    {label}
                    {Date.parse(expiresAt) <= now && (
                      <StateBadge tone="neutral">Expired</StateBadge>
                    )}
                  </Group>
                ),
              },
              { title: 'Permissions', cell: ({ scopes }) => scopes.join(', ') },
              { title: 'Expires', cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
              {
                title: 'Last used',
                cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'),
              },
            ]}
            actions={({ id, label }) => (
              <ConfirmButton
                label={`Revoke ${label}`}
                confirmation={{
                  title: `Revoke ${label}?`,
                  text: 'Programs that use it are refused from their next request on.',
                  verb: 'Revoke',
                  act: () => revoke.mutateAsync({ params: { tokenId: id } }),
                  done: `${label} is revoked.`,
                }}
              />
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

const scopeTitles: Record<TokenScope, string> = {
  'projects:read': 'Read projects, deploys and domains',
  'projects:write': 'Create, change and delete projects',
  'deploys:write': 'Deploy',
  'domains:write': 'Add, verify, configure and remove domains',
  'store:read': 'Read the store',
  'store:write': 'Change animals, orders and webhooks',
}

function TokenForm({ close }: { close: () => void }) {
  const { role } = useAccount()
  const create = useChange('POST /account/tokens', changed)
  const { field, form } = useForm({
    initial: {
      label: '',
      scopes: ['projects:read', 'deploys:write'] as TokenScope[],
      expiresInDays: '90',
    },
    send: ({ expiresInDays, ...body }) =>
      create.mutateAsync({ body: { ...body, expiresInDays: Number(expiresInDays) } }),
  })
  // Only operators can use the store.
  const titles = Object.fromEntries(
    Object.entries(scopeTitles).filter(
      ([scope]) => role === 'operator' || !scope.startsWith('store:'),
    ),
  )

  if (create.data) {
    return (
      <ShownOnce what="access token" secret={create.data.token} close={close}>
        <Stack gap={6}>
          <Text size="sm">For the command line:</Text>
          <CopyBlock
            what="the commands"
            text={`export ANIMAL_STORE_URL=${location.origin}\nexport ANIMAL_STORE_TOKEN=${create.data.token}`}
          />
        </Stack>
      </ShownOnce>
    )
  }
  return (
    <Form close={close} verb="Create token" {...form}>
      <TextField
        {...field('label')}
        label="Label"
        description="The machine or program that uses it."
        data-autofocus
      />
      <Choices {...field('scopes')} label="Permissions" titles={titles} />
      <SelectField
        {...field('expiresInDays')}
        label="Expires"
        data={[
          { value: '7', label: 'in 7 days' },
          { value: '30', label: 'in 30 days' },
          { value: '90', label: 'in 90 days' },
          { value: '366', label: 'in a year' },
        ]}
      />
    </Form>
  )
}
