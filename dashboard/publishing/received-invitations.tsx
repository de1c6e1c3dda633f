// The projects that the account is invited to, or that are offered to it, above its own.
import { Group, Paper, Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { ActionButton, ConfirmButton } from '../components/action-buttons.tsx'
import { useChange, useGet } from '../platform/requests.ts'
import { projectListQuery } from './project-queries.ts'
import { SuspendedDomains } from './transfer-effects.tsx'

const changed = { queryKey: ['account', 'project-invitations'] }

type Received = Answer<'GET /account/project-invitations'>['items'][number]

export function ReceivedInvitations() {
  const { data } = useGet('GET /account/project-invitations')
  if (!data || data.items.length === 0) return null
  return (
    <Stack mb="md" gap="sm">
      {data.items.map((invitation) => (
        <Invitation key={invitation.id} invitation={invitation} />
      ))}
    </Stack>
  )
}

const roles = { editor: 'an editor', viewer: 'a viewer', owner: 'the owner' }

function Invitation({ invitation }: { invitation: Received }) {
  const { id, invitedBy, project, role, transfer } = invitation
  const { name } = project
  const accept = useChange(
    'POST /account/project-invitations/{invitationId}/accept',
    changed,
    projectListQuery,
  )
  const decline = useChange('DELETE /account/project-invitations/{invitationId}', changed)
  const params = { invitationId: id }
  const by = invitedBy ?? 'A former member'
  const done = `You are now ${roles[role]} of ${name}.`
  const take = () => accept.mutateAsync({ params })
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <Text>
          {transfer ? `${by} offers you the project ` : `${by} invites you to `}
          <b>{name}</b>
          {transfer ? '.' : ` as ${roles[role]}.`}
        </Text>
        <Group gap="xs">
          <ActionButton
            label={`Decline ${name}`}
            act={() => decline.mutateAsync({ params })}
            done={transfer ? 'The offer is declined.' : 'The invitation is declined.'}
          >
            Decline
          </ActionButton>
          {transfer ? (
            <ConfirmButton
              variant="filled"
              label={`Accept ${name}`}
              disabled={transfer.refusal !== null}
              confirmation={{
                title: `Become the owner of ${name}?`,
                text: (
                  <Stack gap="xs">
                    <Text>
                      The project and its domains count towards your plan from now on. The owner of
                      before stays as an editor.
                    </Text>
                    <SuspendedDomains effects={transfer} plan="Your plan" />
                  </Stack>
                ),
                verb: 'Accept project',
                isDestructive: transfer.suspendedDomains.length > 0,
                act: take,
                done,
              }}
            >
              Accept
            </ConfirmButton>
          ) : (
            <ActionButton variant="filled" label={`Accept ${name}`} act={take} done={done}>
              Accept
            </ActionButton>
          )}
        </Group>
      </Group>
      {transfer?.refusal && (
        <Text size="sm" c="red" mt="xs">
          {transfer.refusal}
        </Text>
      )}
    </Paper>
  )
}
