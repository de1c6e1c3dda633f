// Members: the accounts with their roles and plans, and the open invitations. A link is shown once.
import { Box, Text } from '@mantine/core'
import {
  AddButton,
  ConfirmButton,
  ConfirmForm,
  confirm,
  RowMenu,
  ShownOnce,
} from '../components/actions.tsx'
import { EmailField, Form, SelectField, TextField, useForm } from '../components/form.tsx'
import { FilterForm, useFilters } from '../components/inputs.tsx'
import { Loading, NoMatches, Page, Section } from '../components/page.tsx'
import { type Column, LoadedRecords, timeColumn } from '../components/records.tsx'
import { Lines } from '../components/values.tsx'
import { attempt } from '../platform/announcements.ts'
import { call } from '../platform/api.ts'
import { asChoices, counted, exactly } from '../platform/formats.ts'
import { accountQuery, useAccount, useChange, useGet, useList } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { SuspendedDomains } from '../publishing/project-marks.tsx'

export function Component() {
  const own = useAccount()
  const filters = useFilters(['text'])
  const accounts = useList('GET /accounts', 'after', { query: filters.query({ limit: 50 }) })
  return (
    <Page
      title="Members"
      lead="Operators see and change everything. Members have their own projects."
      actions={<AddButton title="Invite" content={<InvitationForm />} />}
    >
      <FilterForm filters={filters}>
        {(field) => <TextField {...field('text')} label="Name or email" />}
      </FilterForm>
      <LoadedRecords
        query={accounts}
        loading={<Loading height={58} />}
        empty={<NoMatches of="members" clear={filters.clear} />}
        caption="Accounts"
        columns={columnsFor(own.id)}
        actions={(account) => <Actions account={account} isOwn={account.id === own.id} />}
      />
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
        <Lines
          first={
            <>
              {name}
              {id === ownId && (
                <Text component="span" size="sm" c="dimmed">
                  {' '}
                  (you)
                </Text>
              )}
            </>
          }
          second={email}
        />
      ),
    },
    { title: 'Role', cell: (account) => <RoleChoice account={account} /> },
    {
      title: 'Plan',
      cell: (account) => (account.role === 'operator' ? 'Paid' : <PlanChoice account={account} />),
    },
    timeColumn('Created', 'createdAt', { isMinor: true }),
  ]
}

function Actions({ account, isOwn }: { account: Account; isOwn: boolean }) {
  const { email, id, name } = account
  const remove = useChange('DELETE /accounts/{accountId}')
  const removeFactor = useChange('DELETE /accounts/{accountId}/second-factor')
  return (
    <RowMenu
      label={`More for ${name}`}
      actions={[
        {
          item: 'Create password link',
          title: `Password link for ${name}`,
          content: <PasswordLinkForm account={account} />,
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
  const { select, set } = useStanding(account, 'role')
  const { name } = account
  return (
    <SelectField
      {...select}
      aria-label={`Role of ${name}`}
      data={asChoices(['operator', 'member'])}
      onChange={(role) => {
        const [toOperator, what] = role === 'operator' ? [true, 'an operator'] : [false, 'a member']
        confirm({
          title: `Make ${name} ${what}?`,
          text: toOperator
            ? `Operators see and change all projects, the store, all accounts and the system. ${name} gets the paid plan.`
            : `${name} keeps existing projects, on the paid plan, and no longer sees the projects of others, the store, the members and the system. Access tokens follow, and pending invitations by ${name} are revoked.`,
          verb: `Make ${role}`,
          isDestructive: !toOperator,
          act: () => set(role),
          done: `${name} is now ${what}.`,
        })
      }}
    />
  )
}

/** Before the paid plan ends, asks if that suspends domains, and lists them. */
function PlanChoice({ account }: { account: Account }) {
  const { select, set } = useStanding(account, 'plan')
  const { id, name, plan: current } = account
  /** Resolves to whether the plan is set. */
  async function choose(plan: Account['plan']): Promise<boolean> {
    const { items, next } =
      plan === 'free'
        ? await call('GET /domains', { query: { owner: id, limit: 100 } })
        : { items: [], next: null }
    const served = items.filter(({ serving }) => serving !== 'off')
    if (served.length === 0) {
      await set(plan)
      return true
    }
    confirm({
      title: `Set ${name} to the free plan?`,
      text: (
        <SuspendedDomains
          hosts={served.map(({ project, unicodeHost }) => `${unicodeHost} of ${project.name}`)}
          hasMore={next !== null}
          plan="The free plan"
          when=", until the paid plan is back"
        />
      ),
      verb: `Suspend ${counted(served.length, 'domain')}`,
      act: () => set(plan),
      done: `${name} is now on the free plan.`,
    })
    return false
  }
  return (
    <SelectField
      {...select}
      aria-label={`Plan of ${name}`}
      data={asChoices(['free', 'paid'])}
      onChange={(plan) =>
        attempt(
          choose(plan),
          (isDone) => isDone && `${name} is now on the ${plan} plan.`,
          () => set(current),
        )
      }
    />
  )
}

/** What a choice of the role or the plan of an account shows, and the function that changes it. */
function useStanding<Field extends 'role' | 'plan'>(account: Account, field: Field) {
  // Operators who change their own role see other pages, so the own account is fetched again.
  const change = useChange('PATCH /accounts/{accountId}', [
    { queryKey: ['accounts'] },
    accountQuery,
  ])
  const { isPending, variables } = change
  const sent = (isPending ? variables.body : {}) as Partial<Account>
  return {
    select: { size: 'xs', w: 112, value: sent[field] ?? account[field], disabled: isPending },
    set: (value: Account[Field]) =>
      change.mutateAsync({ params: { accountId: account.id }, body: { [field]: value } }),
  }
}

/** Creates a link with which the owner of an account sets a new password, and shows it once. */
function PasswordLinkForm({ account }: { account: Account }) {
  const create = useChange('POST /accounts/{accountId}/password-link')
  if (create.data) {
    return (
      <ShownOnce what="link" secret={create.data.link}>
        {`Send it to ${account.email}. It works once, until ${exactly(create.data.expiresAt)}.`}
      </ShownOnce>
    )
  }
  return (
    <ConfirmForm
      verb="Create link"
      text={`${account.name} can set a new password with this link. Doing so signs out all sessions of the account. Links created earlier stop working.`}
      act={() => create.mutateAsync({ params: { accountId: account.id } })}
    />
  )
}

/** The open invitations, and the form that creates one and shows its link once. */
function InvitationsSection() {
  const invitations = useGet('GET /invitations')
  const revoke = useChange('DELETE /invitations/{invitationId}')
  return (
    <Section title="Invitations">
      <LoadedRecords
        query={invitations}
        loading={<Loading rows={1} />}
        empty={
          <Text c="dimmed">
            No open invitations. An invitation is a link that creates one account within 7 days.
          </Text>
        }
        caption="Invitations"
        columns={[
          { title: 'For', isHead: true, cell: ({ email }) => email },
          {
            title: 'Role',
            cell: ({ plan, role }) => (role === 'operator' ? 'Operator' : `Member, ${plan} plan`),
          },
          timeColumn('Created', 'createdAt', { isMinor: true }),
          timeColumn('Expires', 'expiresAt'),
        ]}
        actions={({ email, id }) => (
          <ConfirmButton
            label={`Revoke the invitation for ${email}`}
            title="Revoke this invitation?"
            text={`The link for ${email} stops working immediately.`}
            verb="Revoke"
            act={() => revoke.mutateAsync({ params: { invitationId: id } })}
            done="The invitation is revoked."
          />
        )}
      />
    </Section>
  )
}

function InvitationForm() {
  const invite = useChange('POST /invitations')
  const { field, form, values } = useForm({
    initial: { email: '', role: 'member' as Account['role'], plan: 'free' as Account['plan'] },
    send: ({ email, plan, role }) =>
      invite.mutateAsync({
        body: { email: email.trim(), role, plan: role === 'operator' ? 'paid' : plan },
      }),
  })
  if (invite.data) {
    return (
      <ShownOnce what="link" secret={invite.data.link}>
        {`Send it to the person you invite. It creates one account, until ${exactly(invite.data.expiresAt)}.`}
      </ShownOnce>
    )
  }
  return (
    <Form verb="Create link" {...form}>
      <EmailField
        {...field('email', 'Email', 'The account gets this address.')}
        autoComplete="off"
      />
      <SelectField
        {...field('role', 'Role')}
        data={[
          { value: 'member', label: 'Member: has own projects' },
          { value: 'operator', label: 'Operator: sees and changes everything' },
        ]}
      />
      {values.role === 'member' && (
        <SelectField
          {...field('plan', 'Plan')}
          data={[
            { value: 'free', label: 'Free' },
            { value: 'paid', label: 'Paid: with custom domains' },
          ]}
        />
      )}
    </Form>
  )
}
