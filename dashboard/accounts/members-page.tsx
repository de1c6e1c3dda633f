// Members: the accounts with their roles and plans, and the invitations.
import { Box, Button, List, Stack, Text } from '@mantine/core'
import { AddButton } from '../components/add-button.tsx'
import { useAttempt } from '../components/announcements.tsx'
import { useConfirm } from '../components/dialog.tsx'
import { SelectField } from '../components/fields.tsx'
import { SearchForm } from '../components/filters.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Empty, LoadedItems, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { call } from '../platform/api.ts'
import { asChoices, counted } from '../platform/numbers.ts'
import { useChange, useList } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { exactly } from '../platform/times.ts'
import { accountQuery, useAccount } from '../platform/use-account.ts'
import { useFilters } from '../platform/use-filters.ts'
import { InvitationForm, InvitationsSection } from './invitations-section.tsx'

const changed = { queryKey: ['accounts'] }

export function Component() {
  const own = useAccount()
  const filters = useFilters(['text'])
  const accounts = useList('GET /accounts', 'after', { query: filters.query({ limit: 50 }) })
  return (
    <Page
      title="Members"
      lead="Operators see and change everything. Members have their own projects."
      actions={<AddButton title="Invite" content={(close) => <InvitationForm close={close} />} />}
    >
      <SearchForm filters={filters} name="text" label="Name or email" />
      <LoadedItems
        query={accounts}
        loading={<Loading height={58} />}
        empty={
          <Empty
            title="No matching members"
            action={
              <Button variant="default" onClick={filters.clear}>
                Show all members
              </Button>
            }
          />
        }
      >
        {(accounts) => (
          <Records
            caption="Accounts"
            rows={accounts}
            columns={columnsFor(own.id)}
            actions={(account) => <Actions account={account} isOwn={account.id === own.id} />}
          />
        )}
      </LoadedItems>
      <Box mt="xl">
        <InvitationsSection />
      </Box>
    </Page>
  )
}

function columnsFor(ownId: string): Column<Account>[] {
  return [
    {
      title: 'Name',
      isHead: true,
      cell: ({ email, id, name }) => (
        <Stack gap={0}>
          <span>
            {name}
            {id === ownId && (
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
    {
      title: 'Role',
      cell: (account) => <RoleChoice account={account} />,
    },
    {
      title: 'Plan',
      cell: (account) => (account.role === 'operator' ? 'Paid' : <PlanChoice account={account} />),
    },
    { title: 'Created', isMinor: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ]
}

function Actions({ account, isOwn }: { account: Account; isOwn: boolean }) {
  const { email, id, name } = account
  const remove = useChange('DELETE /accounts/{accountId}', changed)
  const removeFactor = useChange('DELETE /accounts/{accountId}/second-factor')
  return (
    <RowMenu
      label={`More for ${name}`}
      actions={[
        {
          item: 'Create password link',
          title: `Password link for ${name}`,
          content: (close) => <PasswordLinkForm account={account} close={close} />,
        },
        {
          title: `Turn off two-factor authentication of ${name}?`,
          text: `Do this when ${name} has lost the phone and the recovery codes. The password alone is then enough to sign in.`,
          verb: 'Turn off two-factor authentication',
          act: () => removeFactor.mutateAsync({ params: { accountId: id } }),
          done: `Two-factor authentication of ${name} is off.`,
        },
        {
          title: `Delete the account of ${name}?`,
          text: `${email} can no longer sign in, and its access tokens stop working immediately. An account that has projects cannot be deleted.`,
          verb: 'Delete account',
          isDisabled: isOwn,
          act: () => remove.mutateAsync({ params: { accountId: id } }),
          done: `The account of ${name} is deleted.`,
        },
      ]}
    />
  )
}

/** Asks first: a role changes what the account can see, and Undo does not bring back invitations. */
function RoleChoice({ account }: { account: Account }) {
  const confirm = useConfirm()
  const { name } = account
  return (
    <Choice
      account={account}
      field="role"
      values={['operator', 'member']}
      before={async (role, set) => {
        const toOperator = role === 'operator'
        confirm({
          title: `Make ${name} ${toOperator ? 'an operator' : 'a member'}?`,
          text: toOperator
            ? `Operators see and change all projects, the store, all accounts and the system. ${name} gets the paid plan.`
            : `${name} keeps existing projects, on the paid plan, and no longer sees the projects of others, the store, the members and the system. Access tokens follow, and pending invitations by ${name} are revoked.`,
          verb: `Make ${toOperator ? 'operator' : 'member'}`,
          isDestructive: !toOperator,
          act: () => set(role),
          done: `${name} is now ${toOperator ? 'an operator' : 'a member'}.`,
        })
        return true
      }}
    />
  )
}

/** The most hosts that a confirmation lists. */
const maxListed = 8

/** Before the paid plan ends, asks if that suspends domains, and lists them. */
function PlanChoice({ account }: { account: Account }) {
  const confirm = useConfirm()
  const { name } = account
  return (
    <Choice
      account={account}
      field="plan"
      values={['free', 'paid']}
      before={async (plan, set) => {
        if (plan !== 'free') return false
        const { items, next } = await call('GET /domains', {
          query: { owner: account.id, limit: 100 },
        })
        const served = items.filter(({ serving }) => serving !== 'off')
        if (served.length === 0) return false
        const rest = served.length - maxListed
        confirm({
          title: `Set ${name} to the free plan?`,
          text: (
            <Stack gap="xs">
              <Text>
                {`The free plan has no custom domains. ${served.length === 1 ? 'This one is' : 'These are'} no longer served, until the paid plan is back. The names stay reserved.`}
              </Text>
              <List>
                {served.slice(0, maxListed).map(({ host, project, unicodeHost }) => (
                  <List.Item key={`${host} ${project.slug}`}>
                    {unicodeHost} of {project.name}
                  </List.Item>
                ))}
              </List>
              {rest > 0 && <Text>{`and ${rest}${next === null ? '' : ' or'} more`}</Text>}
            </Stack>
          ),
          verb: `Suspend ${counted(served.length, 'domain')}`,
          act: () => set(plan),
          done: `${name} is now on the free plan.`,
        })
        return true
      }}
    />
  )
}

/** The role or the plan of an account. `before` returns whether it takes over, to ask first: of roles, always. */
function Choice<Field extends 'role' | 'plan'>({
  account,
  before,
  field,
  values,
}: {
  account: Account
  field: Field
  values: Account[Field][]
  before?: (
    chosen: Account[Field],
    set: (chosen: Account[Field]) => Promise<unknown>,
  ) => Promise<boolean>
}) {
  const { id, name } = account
  // Operators who change their own role see other pages, so the own account is fetched again.
  const change = useChange('PATCH /accounts/{accountId}', changed, {
    queryKey: accountQuery.queryKey,
  })
  const attempt = useAttempt()
  const set = (value: Account[Field]) =>
    change.mutateAsync({ params: { accountId: id }, body: { [field]: value } })
  const current = account[field]
  const sent = change.variables?.body as Partial<Account> | undefined
  return (
    <SelectField
      size="xs"
      w={112}
      aria-label={`${field === 'role' ? 'Role' : 'Plan'} of ${name}`}
      value={change.isPending ? (sent?.[field] ?? current) : current}
      disabled={change.isPending}
      data={asChoices(values)}
      onChange={(chosen) => {
        const change = async (): Promise<boolean> => {
          if (await before?.(chosen, set)) return false
          await set(chosen)
          return true
        }
        attempt(
          change(),
          (isDone) => isDone && `${name} is now on the ${chosen} plan.`,
          () => set(current),
        )
      }}
    />
  )
}

/** Creates a link with which the owner of an account sets a new password, and shows it once. */
function PasswordLinkForm({ account, close }: { account: Account; close: () => void }) {
  const create = useChange('POST /accounts/{accountId}/password-link')
  const { form } = useForm({
    initial: {},
    send: () => create.mutateAsync({ params: { accountId: account.id } }),
  })
  if (create.data) {
    return (
      <ShownOnce what="link" secret={create.data.link} close={close}>
        {`Send it to ${account.email}. It works once, until ${exactly(create.data.expiresAt)}.`}
      </ShownOnce>
    )
  }
  return (
    <Form close={close} verb="Create link" {...form}>
      <Text>
        {account.name} can set a new password with this link. Doing so signs out all sessions of the
        account. Links created earlier stop working.
      </Text>
    </Form>
  )
}
