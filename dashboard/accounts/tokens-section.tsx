// Access tokens, by which programs act as the account.
import { Button, Checkbox, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Records } from '../components/records.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, Loaded } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { problemsOf } from '../components/use-form.ts'
import { useAccount } from '../platform/use-account.ts'
import { useNow } from '../platform/use-now.ts'
import {
  type AccessToken,
  type TokenScope,
  useCreateToken,
  useRevokeToken,
  useTokens,
} from './account-queries.ts'

export function TokensSection() {
  const tokens = useTokens()
  const revoke = useRevokeToken()
  const announce = useAnnounce()
  const now = useNow()
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<AccessToken>()
  const isOver = ({ expiresAt }: AccessToken): boolean => Date.parse(expiresAt) <= now
  return (
    <section aria-labelledby="tokens">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="tokens">
          Access tokens
        </Title>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={16} />}
          onClick={() => setCreating(true)}
          data-shortcut="new"
        >
          Create token
        </Button>
      </Group>
      <Loaded query={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No access tokens">
              Create one for the command line or for CI. Tokens act as your account.
            </Empty>
          ) : (
            <Records
              caption="Access tokens"
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Label',
                  isHead: true,
                  cell: (token) => (
                    <Group gap={6}>
                      {token.label}
                      {isOver(token) && <StateBadge tone="still">Expired</StateBadge>}
                    </Group>
                  ),
                },
                {
                  title: 'Permissions',
                  cell: ({ scopes }) => <Text size="sm">{scopes.join(', ')}</Text>,
                },
                { title: 'Expires', cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
                {
                  title: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'),
                },
                {
                  title: 'Actions',
                  isActions: true,
                  cell: (token) => (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Revoke ${token.label}`}
                      onClick={() => setRevoked(token)}
                    >
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Dialog opened={isCreating} close={() => setCreating(false)} title="Create access token">
        <TokenForm close={() => setCreating(false)} />
      </Dialog>
      <Confirm
        opened={revoked !== undefined}
        close={() => setRevoked(undefined)}
        title={`Revoke ${revoked?.label ?? ''}?`}
        verb="Revoke"
        act={async () => {
          if (!revoked) return
          await revoke.mutateAsync(revoked.id)
          announce({ text: `${revoked.label} is revoked.` })
        }}
      >
        Programs that use it are refused from their next request on.
      </Confirm>
    </section>
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
const allScopes = Object.keys(scopeTitles) as TokenScope[]

function TokenForm({ close }: { close: () => void }) {
  const { role } = useAccount()
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<TokenScope[]>(['projects:read', 'deploys:write'])
  const [days, setDays] = useState('90')
  const create = useCreateToken()
  const { at, other } = problemsOf(create.error, ['label', 'scopes', 'expiresInDays'])
  // Only operators can use the store.
  const possible = allScopes.filter((scope) => role === 'operator' || !scope.startsWith('store:'))

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
    <Form
      close={close}
      verb="Create token"
      submit={() => create.mutate({ label, scopes, expiresInDays: Number(days) })}
      isPending={create.isPending}
      problem={other}
    >
      <TextField
        label="Label"
        description="The machine or program that uses it."
        value={label}
        onChange={setLabel}
        error={at('label')}
        data-autofocus
      />
      <Checkbox.Group
        label="Permissions"
        value={scopes}
        onChange={(chosen) => setScopes(chosen as TokenScope[])}
        error={at('scopes')}
      >
        <Stack gap={6} mt={4}>
          {possible.map((scope) => (
            <Checkbox key={scope} value={scope} label={scopeTitles[scope]} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="Expires"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '7', label: 'in 7 days' },
          { value: '30', label: 'in 30 days' },
          { value: '90', label: 'in 90 days' },
          { value: '366', label: 'in a year' },
        ]}
        error={at('expiresInDays')}
      />
    </Form>
  )
}
