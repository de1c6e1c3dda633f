// API keys, with which programs call the store's API. A key is shown once, when it is created.
import { Group, Stack, Switch, Text } from '@mantine/core'
import { AddButton } from '../components/add-button.tsx'
import { WarningIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, LoadedItems, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { counted } from '../platform/numbers.ts'
import { useEnvironment, useList } from '../platform/requests.ts'
import { useFilters } from '../platform/use-filters.ts'
import { KeyForm, RotateKeyForm } from './key-forms.tsx'
import { type ApiKey, useStoreChange } from './store-queries.ts'

export function Component() {
  const environment = useEnvironment()
  const { get, set } = useFilters([])
  const keys = useList(
    'GET /store/{environment}/keys',
    'before',
    { query: { limit: 50 } },
    // For the time of last use.
    30_000,
  )
  const showsAll = get('ended') === 'shown'
  const create = (
    <AddButton
      label="Create key"
      title={`Create a ${environment} key`}
      content={(close) => <KeyForm close={close} />}
    />
  )
  return (
    <Page
      title="API keys"
      lead={`Programs call the store's ${environment} API with a key. Keys of the other environment are refused.`}
      actions={create}
    >
      <LoadedItems query={keys} loading={<Loading rows={4} height={64} />}>
        {(all) => {
          const active = all.filter(({ state }) => state === 'active')
          const ended = all.length - active.length
          const shown = showsAll ? all : active
          return (
            <>
              {all.length > 0 && (ended > 0 || showsAll) && (
                <Switch
                  mb="md"
                  label={`Show ${counted(ended, 'expired or revoked key')}`}
                  checked={showsAll}
                  onChange={(event) => set({ ended: event.currentTarget.checked ? 'shown' : '' })}
                />
              )}
              {shown.length === 0 ? (
                <Empty title="No active keys" action={create}>
                  Programs need a key to call the {environment} API.
                </Empty>
              ) : (
                <Records
                  caption="API keys"
                  rows={shown}
                  columns={columns}
                  actions={(key) => key.state !== 'revoked' && <Actions apiKey={key} />}
                />
              )}
            </>
          )
        }}
      </LoadedItems>
    </Page>
  )
}

const columns: Column<ApiKey>[] = [
  {
    title: 'Key',
    isHead: true,
    by: ({ label }) => label,
    cell: ({ id, label, state }) => (
      <Stack gap={0}>
        <Group gap={6}>
          {label}
          {state === 'expired' && <StateBadge tone="neutral">Expired</StateBadge>}
          {state === 'revoked' && <StateBadge tone="danger">Revoked</StateBadge>}
        </Group>
        <Text size="xs" c="dimmed" ff="monospace">
          {id}
        </Text>
      </Stack>
    ),
  },
  {
    title: 'Permissions',
    isMinor: true,
    cell: ({ hasAllScopes, scopes }) => (hasAllScopes ? 'All' : scopes.join(', ')),
  },
  { title: 'Rate limit', isMinor: true, cell: ({ rateLimit }) => rateLimit ?? 'Standard' },
  {
    title: 'Expires',
    by: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt ?? '9999',
    cell: ({ expiresAt, revokedAt }) => {
      const end = revokedAt ?? expiresAt
      return end ? <Ago time={end} /> : 'Never'
    },
  },
  {
    title: 'Last used',
    by: ({ lastUsedAt }) => lastUsedAt ?? '',
    cell: ({ deprecatedAt, deprecatedCalls, lastUsedAt }) => (
      <Stack gap={2}>
        <span>{lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'}</span>
        {deprecatedCalls > 0 && deprecatedAt && (
          <Group gap={4} wrap="nowrap" align="flex-start">
            <WarningIcon size={15} />
            <Text size="xs">
              {counted(deprecatedCalls, 'call')} of the deprecated getPet, which is removed on 5
              December 2030. Last call: <Ago time={deprecatedAt} />
            </Text>
          </Group>
        )}
      </Stack>
    ),
  },
]

function Actions({ apiKey }: { apiKey: ApiKey }) {
  const { id, label } = apiKey
  const revoke = useStoreChange('DELETE /store/{environment}/keys/{keyId}')
  return (
    <RowMenu
      label={`More for ${label}`}
      actions={[
        {
          item: 'Edit',
          title: `Edit ${label}`,
          content: (close) => <KeyForm apiKey={apiKey} close={close} />,
        },
        {
          item: 'Rotate',
          title: `Rotate ${label}`,
          content: (close) => <RotateKeyForm apiKey={apiKey} close={close} />,
        },
        {
          title: `Revoke ${label}?`,
          text: 'Programs that use it are refused from their next request on. This cannot be undone. To give a program time to change, rotate the key instead.',
          verb: 'Revoke',
          act: () => revoke.mutateAsync({ params: { keyId: id } }),
          done: `${label} is revoked.`,
        },
      ]}
    />
  )
}
