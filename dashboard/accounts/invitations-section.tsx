// The open invitations, and the form that creates one and shows its link once.
import { Button, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/dialog.tsx'
import { EmailField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Records } from '../components/records.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { exactly } from '../platform/times.ts'
import {
  type Invitation,
  type Plan,
  type Role,
  useInvitations,
  useInvite,
  useRevokeInvitation,
} from './member-queries.ts'

export function InvitationsSection() {
  const invitations = useInvitations()
  const revoke = useRevokeInvitation()
  const announce = useAnnounce()
  const [revoked, setRevoked] = useState<Invitation>()
  return (
    <>
      <Loaded query={invitations} loading={<Loading rows={1} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">
              No open invitations. An invitation is a link that creates one account within 7 days.
            </Text>
          ) : (
            <Records
              caption="Invitations"
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'For',
                  isHead: true,
                  cell: ({ email }) => email ?? 'Anyone with the link',
                },
                {
                  title: 'Role',
                  cell: ({ plan, role }) => (role === 'operator' ? role : `${role}, ${plan}`),
                },
                { title: 'Created', cell: ({ createdAt }) => <Ago time={createdAt} /> },
                { title: 'Expires', cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
                {
                  title: 'Actions',
                  isActions: true,
                  cell: (invitation) => (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Revoke the invitation for ${invitation.email ?? 'anyone'}`}
                      onClick={() => setRevoked(invitation)}
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
      <Confirm
        opened={revoked !== undefined}
        close={() => setRevoked(undefined)}
        title="Revoke this invitation?"
        verb="Revoke"
        act={async () => {
          if (!revoked) return
          await revoke.mutateAsync(revoked.id)
          announce({ text: 'The invitation is revoked.' })
        }}
      >
        The link {revoked?.email ? `for ${revoked.email} ` : ''}stops working immediately.
      </Confirm>
    </>
  )
}

const roleTitles: Record<Role, string> = {
  member: 'member: has own projects',
  operator: 'operator: sees and changes everything',
}
const planTitles: Record<Plan, string> = { free: 'free', paid: 'paid: with custom domains' }
const optionsOf = (titles: Record<string, string>) =>
  Object.entries(titles).map(([value, label]) => ({ value, label }))

export function InvitationForm({ close }: { close: () => void }) {
  const invite = useInvite()
  const { field, form, values } = useForm({
    initial: { email: '', role: 'member', plan: 'free' },
    codes: { email_taken: { field: 'email' } },
    send: ({ email, plan, role }) =>
      invite.mutateAsync({
        ...(email.trim() === '' ? {} : { email: email.trim() }),
        role: role as Role,
        plan: role === 'operator' ? 'paid' : (plan as Plan),
      }),
  })
  const selectOf = (name: 'role' | 'plan') => {
    const { onChange, ...select } = field(name)
    return {
      ...select,
      onChange: (event: { currentTarget: HTMLSelectElement }) =>
        onChange(event.currentTarget.value),
    }
  }
  if (invite.data) {
    return (
      <ShownOnce what="link" secret={invite.data.link} close={close}>
        {`Send it to the person you invite. It creates one account, until ${exactly(invite.data.expiresAt)}.`}
      </ShownOnce>
    )
  }
  return (
    <Form close={close} verb="Create link" {...form}>
      <EmailField
        {...field('email')}
        description="The account gets this address. Leave it empty to let the user choose."
        autoComplete="off"
        data-autofocus
      />
      <NativeSelect {...selectOf('role')} label="Role" data={optionsOf(roleTitles)} />
      {values.role === 'member' && (
        <NativeSelect {...selectOf('plan')} label="Plan" data={optionsOf(planTitles)} />
      )}
    </Form>
  )
}
