// Invites somebody: makes a link, and shows it this once.
import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DialogForm } from '../components/dialog.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { ShownOnce } from '../components/shown-once.tsx'
import { Refusal } from '../platform/api.ts'
import { exactly } from '../platform/times.ts'
import { type Plan, type Role, useInvite } from './member-queries.ts'

export function InvitationForm({ close }: { close: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [plan, setPlan] = useState<Plan>('free')
  const invite = useInvite()
  const { at, other } = problemsOf(invite.error, ['email', 'role', 'plan'])
  const isTaken = invite.error instanceof Refusal && invite.error.code === 'email_taken'
  if (invite.data) {
    return (
      <ShownOnce what="link" secret={invite.data.link} close={close}>
        {`Send it to whom you invite. It makes one account, until ${exactly(invite.data.expiresAt)}.`}
      </ShownOnce>
    )
  }

  function submit(): void {
    invite.mutate({
      ...(email.trim() === '' ? {} : { email: email.trim() }),
      role,
      plan: role === 'operator' ? 'paid' : plan,
    })
  }

  return (
    <DialogForm
      close={close}
      verb="Make the link"
      submit={submit}
      isPending={invite.isPending}
      problem={isTaken ? undefined : other}
    >
      <TextInput
        label="E-mail address"
        description="The account gets this address. Empty lets whoever has the link choose."
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={at('email') ?? (isTaken ? other : undefined)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <NativeSelect
        label="Role"
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
        data={[
          { value: 'member', label: 'member: has projects' },
          { value: 'operator', label: 'operator: sees and changes everything' },
        ]}
        error={at('role')}
      />
      {role === 'member' && (
        <NativeSelect
          label="Plan"
          value={plan}
          onChange={(event) => setPlan(event.currentTarget.value as Plan)}
          data={[
            { value: 'free', label: 'free' },
            { value: 'paid', label: 'paid: with custom domains' },
          ]}
          error={at('plan')}
        />
      )}
    </DialogForm>
  )
}
