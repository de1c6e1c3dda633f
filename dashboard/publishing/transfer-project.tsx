// Offers a project to one of its members, who then owns it. It says before what the plan of the new owner suspends.
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Answer } from '../../client/management-client.ts'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { useConfirm } from '../components/dialog.tsx'
import { SelectField } from '../components/fields.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { call, explain } from '../platform/api.ts'
import { useChange, useGet } from '../platform/requests.ts'
import type { Project } from './project-queries.ts'
import { SuspendedDomains } from './transfer-effects.tsx'

type Members = Answer<'GET /projects/{slug}/members'>

const changesOf = (slug: string) => ({ queryKey: ['projects', slug, 'members'] })

export function TransferProject({ project }: { project: Project }) {
  const members = useGet('GET /projects/{slug}/members')
  return (
    <Stack align="flex-start">
      <Title order={3} size="h5">
        Transfer this project
      </Title>
      <Text>
        A member becomes the owner, with the domains of the project. It counts towards the plan of
        the new owner.
        {project.role === 'owner' && ' You stay as an editor.'}
      </Text>
      <Loaded query={members} loading={<Loading rows={1} />}>
        {(found) => <Offer project={project} members={found} />}
      </Loaded>
    </Stack>
  )
}

function Offer({ members, project: { slug } }: { members: Members; project: Project }) {
  const revoke = useChange('DELETE /projects/{slug}/invitations/{invitationId}', changesOf(slug))
  const open = members.invitations.find(({ role }) => role === 'owner')
  if (open) {
    return (
      <Group gap="sm">
        <Text>
          Offered to {open.email}. The offer expires <Ago time={open.expiresAt} />.
        </Text>
        <ConfirmButton
          size="sm"
          confirmation={{
            title: 'Revoke this offer?',
            text: `${open.email} can no longer accept it.`,
            verb: 'Revoke offer',
            act: () => revoke.mutateAsync({ params: { invitationId: open.id } }),
            done: 'The offer is revoked.',
          }}
        />
      </Group>
    )
  }
  if (members.items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        This project has no members. Invite the new owner{' '}
        <Anchor component={Link} to={`/projects/${slug}/settings/members`} inherit>
          under Members
        </Anchor>{' '}
        first.
      </Text>
    )
  }
  return <OfferForm slug={slug} items={members.items} />
}

function OfferForm({ items, slug }: { slug: string; items: Members['items'] }) {
  const offer = useChange('POST /projects/{slug}/members/{accountId}/transfer', changesOf(slug))
  const confirm = useConfirm()
  const [chosen, setChosen] = useState(items[0]?.accountId ?? '')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const member = items.find(({ accountId }) => accountId === chosen) ?? items[0]
  if (!member) return null
  const { accountId, email, name } = member

  async function ask(): Promise<void> {
    setPending(true)
    setProblem(undefined)
    try {
      const params = { slug, accountId }
      const effects = await call('GET /projects/{slug}/members/{accountId}/transfer', { params })
      if (effects.refusal !== null) {
        setProblem(effects.refusal)
        return
      }
      confirm({
        title: `Offer this project to ${name}?`,
        text: (
          <Stack gap="xs">
            <Text>
              {email} finds the offer under Projects and can accept it within 14 days. Nothing
              changes until then.
            </Text>
            <SuspendedDomains effects={effects} plan={`The plan of ${name}`} />
          </Stack>
        ),
        verb: 'Offer project',
        isDestructive: effects.suspendedDomains.length > 0,
        act: () => offer.mutateAsync({ params: { accountId } }),
        done: `The project is offered to ${email}.`,
      })
    } catch (error) {
      setProblem(explain(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-end">
        <SelectField
          label="New owner"
          value={accountId}
          onChange={(value) => {
            setChosen(value)
            setProblem(undefined)
          }}
          data={items.map((one) => ({ value: one.accountId, label: `${one.name} (${one.email})` }))}
        />
        <Button variant="default" loading={isPending} onClick={() => void ask()}>
          Transfer
        </Button>
      </Group>
      {problem && (
        <Text c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  )
}
