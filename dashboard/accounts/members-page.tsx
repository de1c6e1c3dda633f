// Members: the accounts with their roles and plans, and the invitations.
import { Button, Menu, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { LoadedPages, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import type { Account } from '../platform/session.ts'
import { exactly } from '../platform/times.ts'
import { useAccount } from '../platform/use-account.ts'
import { InvitationForm, InvitationsSection } from './invitations-section.tsx'
import {
  type Plan,
  type Role,
  useAccounts,
  useChangeStanding,
  useCreatePasswordLink,
  useDeleteAccount,
} from './member-queries.ts'

export function Component() {
  const remove = useDeleteAccount()
  const announce = useAnnounce()
  const [isInviting, setInviting] = useState(false)
  const [deleted, setDeleted] = useState<Account>()
  const [locked, setLocked] = useState<Account>()
  return (
    <Page
      title="Members"
      lead="Operators see and change everything. Members have their own projects."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setInviting(true)} data-shortcut="new">
          Invite
        </Button>
      }
    >
      <LoadedPages query={useAccounts()} loading={<Loading height={58} />}>
        {(accounts) => <Accounts accounts={accounts} onDelete={setDeleted} onLink={setLocked} />}
      </LoadedPages>
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
        opened={deleted !== undefined}
        close={() => setDeleted(undefined)}
        title={`Delete the account of ${deleted?.name ?? ''}?`}
        verb="Delete account"
        act={async () => {
          if (!deleted) return
          await remove.mutateAsync(deleted.id)
          announce({ text: `The account of ${deleted.name} is deleted.` })
        }}
      >
        {deleted?.email} can no longer sign in, and its access tokens stop working immediately. An
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
        { title: 'Created', cell: ({ createdAt }) => <Ago time={createdAt} /> },
        {
          title: 'Actions',
          isActions: true,
          cell: (account) => (
            <RowMenu of={account.name}>
              <Menu.Item onClick={() => onLink(account)}>Create password link</Menu.Item>
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

const choices: { role: Role[]; plan: Plan[] } = {
  role: ['operator', 'member'],
  plan: ['free', 'paid'],
}

/** The role or the plan of an account, as a select. */
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
        const chosen = event.currentTarget.value
        change.mutate(set(chosen), {
          onSuccess: () =>
            announce({
              text:
                field === 'role'
                  ? `${name} is now ${chosen}.`
                  : `${name} is now on the ${chosen} plan.`,
              undo: () => change.mutate(set(before), { onError: failed }),
            }),
          onError: failed,
        })
      }}
    />
  )
}

/** Creates a link by which the owner of an account sets a new password, and shows it once. */
function PasswordLinkForm({ account, close }: { account: Account; close: () => void }) {
  const create = useCreatePasswordLink()
  if (create.data) {
    return (
      <ShownOnce what="link" secret={create.data.link} close={close}>
        {`Send it to ${account.email}. It works once, until ${exactly(create.data.expiresAt)}.`}
      </ShownOnce>
    )
  }
  return (
    <Form
      close={close}
      verb="Create link"
      submit={() => create.mutate(account.id)}
      isPending={create.isPending}
      problem={create.error ? explain(create.error) : undefined}
    >
      <Text>
        {account.name} can set a new password with this link. Doing so signs out all sessions of the
        account. Links created earlier stop working.
      </Text>
    </Form>
  )
}
