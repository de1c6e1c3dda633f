// The open invitations, and the form that creates one and shows its link once.
import { Text } from '@mantine/core'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { checkEmail, EmailField, SelectField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { LoadedItems, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { exactly } from '../platform/times.ts'

const changed = { queryKey: ['invitations'] }

export function InvitationsSection() {
  const invitations = useGet('GET /invitations')
  const revoke = useChange('DELETE /invitations/{invitationId}', changed)
  return (
    <Section title="Invitations">
      <LoadedItems
        query={invitations}
        loading={<Loading rows={1} />}
        empty={
          <Text c="dimmed">
            No open invitations. An invitation is a link that creates one account within 7 days.
          </Text>
        }
      >
        {(items) => (
          <Records
            caption="Invitations"
            rows={items}
            columns={[
              {
                title: 'For',
                isHead: true,
                cell: ({ email }) => email,
              },
              {
                title: 'Role',
                cell: ({ plan, role }) =>
                  role === 'operator' ? 'Operator' : `Member, ${plan} plan`,
              },
              {
                title: 'Created',
                isMinor: true,
                cell: ({ createdAt }) => <Ago time={createdAt} />,
              },
              { title: 'Expires', cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
            ]}
            actions={({ email, id }) => (
              <ConfirmButton
                label={`Revoke the invitation for ${email}`}
                confirmation={{
                  title: 'Revoke this invitation?',
                  text: `The link for ${email} stops working immediately.`,
                  verb: 'Revoke',
                  act: () => revoke.mutateAsync({ params: { invitationId: id } }),
                  done: 'The invitation is revoked.',
                }}
              />
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

export function InvitationForm({ close }: { close: () => void }) {
  const invite = useChange('POST /invitations', changed)
  const { field, form, values } = useForm({
    initial: {
      email: '',
      role: 'member' as Account['role'],
      plan: 'free' as Account['plan'],
    },
    checks: { email: checkEmail },
    codes: { email_taken: { field: 'email' } },
    send: ({ email, plan, role }) =>
      invite.mutateAsync({
        body: {
          email: email.trim(),
          role,
          plan: role === 'operator' ? 'paid' : plan,
        },
      }),
  })
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
        description="The account gets this address."
        autoComplete="off"
        data-autofocus
      />
      <SelectField
        {...field('role')}
        label="Role"
        data={[
          { value: 'member', label: 'Member: has own projects' },
          { value: 'operator', label: 'Operator: sees and changes everything' },
        ]}
      />
      {values.role === 'member' && (
        <SelectField
          {...field('plan')}
          label="Plan"
          data={[
            { value: 'free', label: 'Free' },
            { value: 'paid', label: 'Paid: with custom domains' },
          ]}
        />
      )}
    </Form>
  )
}
