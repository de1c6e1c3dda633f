// The projects that the account is invited to, above its own.
import { Group, Paper, Stack, Text } from '@mantine/core'
import { ActionButton } from '../components/action-buttons.tsx'
import { useChange, useGet } from '../platform/requests.ts'
import { projectListQuery } from './project-queries.ts'

const changed = { queryKey: ['account', 'project-invitations'] }

export function ReceivedInvitations() {
  const { data } = useGet('GET /account/project-invitations')
  const accept = useChange(
    'POST /account/project-invitations/{invitationId}/accept',
    changed,
    projectListQuery,
  )
  const decline = useChange('DELETE /account/project-invitations/{invitationId}', changed)
  if (!data || data.items.length === 0) return null
  return (
    <Stack mb="md" gap="sm">
      {data.items.map(({ id, invitedBy, project: { name }, role }) => (
        <Paper key={id} withBorder p="md">
          <Group justify="space-between">
            <Text>
              {invitedBy ?? 'A former member'} invites you to <b>{name}</b> as{' '}
              {role === 'editor' ? 'an editor' : 'a viewer'}.
            </Text>
            <Group gap="xs">
              <ActionButton
                label={`Decline ${name}`}
                act={() => decline.mutateAsync({ params: { invitationId: id } })}
                done="The invitation is declined."
              >
                Decline
              </ActionButton>
              <ActionButton
                variant="filled"
                label={`Accept ${name}`}
                act={() => accept.mutateAsync({ params: { invitationId: id } })}
                done={`You are now ${role === 'editor' ? 'an editor' : 'a viewer'} of ${name}.`}
              >
                Accept
              </ActionButton>
            </Group>
          </Group>
        </Paper>
      ))}
    </Stack>
  )
}
