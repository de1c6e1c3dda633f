// The invitations that are open.
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Records } from '../components/records.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { type Invitation, useInvitations, useRevokeInvitation } from './member-queries.ts'

export function InvitationsSection() {
  const invitations = useInvitations()
  const revoke = useRevokeInvitation()
  const announce = useAnnounce()
  const [doomed, setDoomed] = useState<Invitation>()
  return (
    <>
      <Loaded query={invitations} loading={<Loading rows={1} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">
              None is open. An invitation is a link that makes one account, within 7 days.
            </Text>
          ) : (
            <Records
              caption="Invitations"
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                { title: 'For', isHead: true, cell: ({ email }) => email ?? 'anybody who has it' },
                {
                  title: 'As',
                  cell: ({ plan, role }) => (role === 'operator' ? role : `${role}, ${plan}`),
                },
                { title: 'Made', cell: ({ createdAt }) => <Ago time={createdAt} /> },
                { title: 'Ends', cell: ({ expiresAt }) => <Ago time={expiresAt} /> },
                {
                  title: 'Actions',
                  isActions: true,
                  cell: (invitation) => (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Revoke the invitation for ${invitation.email ?? 'anybody'}`}
                      onClick={() => setDoomed(invitation)}
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
        opened={doomed !== undefined}
        close={() => setDoomed(undefined)}
        title="Revoke this invitation?"
        verb="Revoke"
        act={async () => {
          if (!doomed) return
          await revoke.mutateAsync(doomed.id)
          announce({ text: 'The invitation is revoked.' })
        }}
      >
        The link {doomed?.email ? `for ${doomed.email} ` : ''}stops working at once.
      </Confirm>
    </>
  )
}
