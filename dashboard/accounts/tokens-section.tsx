// Access tokens: how programs act for the account.
import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Records } from '../components/records.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, Loaded } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useNow } from '../platform/use-now.ts'
import { type AccessToken, useRevokeToken, useTokens } from './account-queries.ts'
import { TokenForm } from './token-form.tsx'

export function TokensSection() {
  const tokens = useTokens()
  const revoke = useRevokeToken()
  const announce = useAnnounce()
  const now = useNow()
  const [isCreating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<AccessToken>()
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
              The command line and machines deploy and manage with a token, which stands for you.
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
                      {isOver(token) && <StateBadge tone="still">expired</StateBadge>}
                    </Group>
                  ),
                },
                {
                  title: 'May',
                  cell: ({ scopes }) => <Text size="sm">{scopes.join(', ')}</Text>,
                },
                { title: 'Ends', cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
                {
                  title: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago time={lastUsedAt} /> : 'never'),
                },
                {
                  title: 'Actions',
                  isActions: true,
                  cell: (token) => (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Revoke ${token.label}`}
                      onClick={() => setDoomed(token)}
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
        opened={doomed !== undefined}
        close={() => setDoomed(undefined)}
        title={`Revoke ${doomed?.label ?? ''}?`}
        verb="Revoke"
        act={async () => {
          if (!doomed) return
          await revoke.mutateAsync(doomed.id)
          announce({ text: `${doomed.label} is revoked.` })
        }}
      >
        What uses it is refused from the next request on.
      </Confirm>
    </section>
  )
}
