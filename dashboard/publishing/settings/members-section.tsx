// The members of a project and the open invitations. Its owner and operators change them; members can leave.
import { Stack, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { AddButton, ConfirmButton, RowMenu } from '../../components/actions.tsx'
import { EmailField, Form, SelectField, useForm } from '../../components/form.tsx'
import { Loaded, Section } from '../../components/page.tsx'
import { Records, timeColumn } from '../../components/records.tsx'
import { useAccount, useChange, useGet } from '../../platform/requests.ts'
import { isOwned, type Project, projectListQuery } from '../project-queries.ts'

const roles = [
  { value: 'viewer', label: 'Viewer: sees everything, changes nothing' },
  { value: 'editor', label: 'Editor: deploys, and changes domains and settings, too' },
]

export function Component({ project }: { project: Project }) {
  const { name } = project
  const account = useAccount()
  const navigate = useNavigate()
  const members = useGet('GET /projects/{slug}/members')
  const change = useChange('PATCH /projects/{slug}/members/{accountId}')
  const remove = useChange('DELETE /projects/{slug}/members/{accountId}')
  const leave = useChange('DELETE /projects/{slug}/members/{accountId}', [projectListQuery])
  const revoke = useChange('DELETE /projects/{slug}/invitations/{invitationId}')
  const invite = <AddButton label="Invite" title={`Invite to ${name}`} content={<InviteForm />} />
  return (
    <Stack gap="xl">
      <Section title="Members" size="h3" actions={isOwned(project) && invite}>
        <Text c="dimmed" mb="md">
          {isOwned(project)
            ? 'Editors deploy and change domains and settings. Viewers see everything and change nothing.'
            : `You are ${project.role === 'editor' ? 'an editor' : 'a viewer'} of this project. Only its owner changes the members.`}
        </Text>
        <Loaded query={members}>
          {({ items, owner }) => (
            <Records
              caption="Members"
              rows={[
                ...(owner ? [{ ...owner, id: owner.accountId, role: 'owner' as const }] : []),
                ...items.map((member) => ({ ...member, id: member.accountId })),
              ]}
              columns={[
                { title: 'Name', isHead: true, cell: (member) => member.name },
                { title: 'Email', isMinor: true, cell: ({ email }) => email },
                { title: 'Role', cell: ({ role }) => titles[role] },
              ]}
              actions={({ email, id, role }) => {
                if (role === 'owner') return null
                if (id === account.id && !isOwned(project)) {
                  return (
                    <ConfirmButton
                      title={`Leave ${name}?`}
                      text="You lose access immediately, and your deploy tokens for it are revoked."
                      verb="Leave"
                      act={async () => {
                        await leave.mutateAsync({ params: { accountId: id } })
                        await navigate('/', { replace: true })
                      }}
                      done={`You left ${name}.`}
                    />
                  )
                }
                if (!isOwned(project)) return null
                const other = role === 'editor' ? 'viewer' : 'editor'
                const body = { role: other } as const
                return (
                  <RowMenu
                    label={`More for ${email}`}
                    actions={[
                      {
                        item: `Make ${titles[other].toLowerCase()}`,
                        act: () => change.mutate({ params: { accountId: id }, body }),
                      },
                      {
                        title: `Remove ${email}?`,
                        text: `The account loses access to ${name} immediately, and its deploy tokens for it are revoked.`,
                        verb: 'Remove',
                        act: () => remove.mutateAsync({ params: { accountId: id } }),
                        done: `${email} is removed.`,
                      },
                    ]}
                  />
                )
              }}
            />
          )}
        </Loaded>
      </Section>
      {(members.data?.invitations.length ?? 0) > 0 && (
        <Section title="Invitations" size="h3">
          <Records
            caption="Invitations"
            rows={members.data?.invitations ?? []}
            columns={[
              { title: 'Email', isHead: true, cell: ({ email }) => email },
              { title: 'Role', cell: ({ role }) => titles[role] },
              timeColumn('Expires', 'expiresAt'),
            ]}
            actions={({ email, id }) => (
              <ConfirmButton
                label={`Revoke the invitation of ${email}`}
                title="Revoke this invitation?"
                text={`${email} can no longer accept it.`}
                verb="Revoke"
                act={() => revoke.mutateAsync({ params: { invitationId: id } })}
                done="The invitation is revoked."
              />
            )}
          />
        </Section>
      )}
    </Stack>
  )
}

const titles = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' } as const

function InviteForm() {
  const invite = useChange('POST /projects/{slug}/invitations')
  const { field, form } = useForm({
    initial: { email: '', role: 'editor' as 'editor' | 'viewer' },
    codes: { conflict: { field: 'email' } },
    send: ({ email, role }) => invite.mutateAsync({ body: { email: email.trim(), role } }),
    done: () => '',
  })
  return (
    <Form verb="Invite" {...form}>
      <EmailField
        {...field('email')}
        description="The invitation is shown under Projects to the account with this address, for 14 days."
      />
      <SelectField {...field('role', 'Role')} data={roles} />
    </Form>
  )
}
