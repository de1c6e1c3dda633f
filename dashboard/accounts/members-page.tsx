// Members: who may sign in and as what, and who was invited.
import { Button, Group, Menu, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { Failed, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import { useAccount } from '../platform/session.ts'
import { InvitationForm } from './invitation-form.tsx'
import { InvitationsSection } from './invitations-section.tsx'
import {
  type Account,
  type Plan,
  type Role,
  useAccounts,
  useChangeStanding,
  useRemoveAccount,
} from './member-queries.ts'
import { PasswordLinkForm } from './password-link-form.tsx'

export function Component() {
  const accounts = useAccounts()
  const remove = useRemoveAccount()
  const announce = useAnnounce()
  const [isInviting, setInviting] = useState(false)
  const [doomed, setDoomed] = useState<Account>()
  const [locked, setLocked] = useState<Account>()
  const found = accounts.data?.pages.flatMap(({ items }) => items)
  return (
    <Page
      title="Members"
      lead="Operators see and change everything; members have projects of their own."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setInviting(true)} data-shortcut="new">
          Invite
        </Button>
      }
    >
      {!found && accounts.error && (
        <Failed error={accounts.error} retry={() => void accounts.refetch()} />
      )}
      {!found && !accounts.error && <Loading height={58} />}
      {found && <Accounts accounts={found} onDelete={setDoomed} onLink={setLocked} />}
      {accounts.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={accounts.isFetchingNextPage}
            onClick={() => void accounts.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
      <Title order={2} size="h4" mt="xl" mb="sm">
        Invitations
      </Title>
      <InvitationsSection />
      <Dialog opened={isInviting} close={() => setInviting(false)} title="Invite">
        <InvitationForm close={() => setInviting(false)} />
      </Dialog>
      <Dialog
        opened={locked !== undefined}
        close={() => setLocked(undefined)}
        title={`Password link for ${locked?.name ?? ''}`}
      >
        {locked && <PasswordLinkForm account={locked} close={() => setLocked(undefined)} />}
      </Dialog>
      <Confirm
        opened={doomed !== undefined}
        close={() => setDoomed(undefined)}
        title={`Delete the account of ${doomed?.name ?? ''}?`}
        verb="Delete account"
        act={async () => {
          if (!doomed) return
          await remove.mutateAsync(doomed.id)
          announce({ text: `The account of ${doomed.name} is deleted.` })
        }}
      >
        {doomed?.email} cannot sign in any more, and its access tokens stop working at once. An
        account that has projects cannot be deleted.
      </Confirm>
    </Page>
  )
}

interface AccountsProps {
  accounts: Account[]
  onDelete: (account: Account) => void
  onLink: (account: Account) => void
}

function Accounts({ accounts, onDelete, onLink }: AccountsProps) {
  const own = useAccount()
  return (
    <Records
      caption="Accounts"
      rows={accounts}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Name',
          isHead: true,
          cell: ({ email, id, name }) => (
            <Stack gap={0}>
              <span>
                {name}
                {id === own.id && (
                  <Text component="span" size="sm" c="dimmed">
                    {' '}
                    (you)
                  </Text>
                )}
              </span>
              <Text size="sm" c="dimmed">
                {email}
              </Text>
            </Stack>
          ),
        },
        { title: 'Role', cell: (account) => <Standing account={account} field="role" /> },
        { title: 'Plan', cell: (account) => <Standing account={account} field="plan" /> },
        { title: 'Since', cell: ({ createdAt }) => <Ago time={createdAt} /> },
        {
          title: 'Actions',
          isActions: true,
          cell: (account) => (
            <RowMenu of={account.name}>
              <Menu.Item onClick={() => onLink(account)}>Make a password link</Menu.Item>
              <Menu.Divider />
              <Menu.Item
                color="red"
                disabled={account.id === own.id}
                onClick={() => onDelete(account)}
              >
                Delete account
              </Menu.Item>
            </RowMenu>
          ),
        },
      ]}
    />
  )
}

const choices = { role: ['operator', 'member'], plan: ['free', 'paid'] }

/** The role or the plan of an account, changed where it stands. */
function Standing({ account, field }: { account: Account; field: 'role' | 'plan' }) {
  const { id, name, role } = account
  const change = useChangeStanding()
  const announce = useAnnounce()
  const failed = (error: unknown): void => announce({ text: explain(error), tone: 'failed' })
  const set = (value: string) => ({ id, [field]: value as Role & Plan })
  const before = account[field]
  if (field === 'plan' && role === 'operator') return <Text size="sm">paid</Text>
  return (
    <NativeSelect
      size="xs"
      w={112}
      aria-label={`${field === 'role' ? 'Role' : 'Plan'} of ${name}`}
      value={change.isPending ? (change.variables[field] ?? before) : before}
      disabled={change.isPending}
      data={choices[field]}
      onChange={(event) => {
        const wanted = event.currentTarget.value
        change.mutate(set(wanted), {
          onSuccess: () =>
            announce({
              text: field === 'role' ? `${name} is ${wanted} now.` : `${name} is on ${wanted} now.`,
              undo: () => change.mutate(set(before), { onError: failed }),
            }),
          onError: failed,
        })
      }}
    />
  )
}
