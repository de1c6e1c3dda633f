// The section Danger zone of the project settings: transfer and deletion.
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { type Answer, ManagementError } from '../../../client/management-client.ts'
import { ConfirmButton, confirm } from '../../components/actions.tsx'
import { Problem, SelectField, useForm } from '../../components/form.tsx'
import { Loaded, Loading, Section } from '../../components/page.tsx'
import { Ago, Note, PageLink } from '../../components/values.tsx'
import { call } from '../../platform/api.ts'
import { useChange, useGet } from '../../platform/requests.ts'
import { SuspendedDomains } from '../project-marks.tsx'
import { type Project, projectListQuery, projectQueries } from '../project-queries.ts'

export function Component({ project }: { project: Project }) {
  const { address, name, slug } = project
  // Only the list is fetched again: the project has no pages anymore.
  const remove = useChange('DELETE /projects/{slug}', [projectListQuery])
  const navigate = useNavigate()
  const client = useQueryClient()
  return (
    <Section title="Danger zone" size="h3">
      <Paper withBorder p="md" mb="md">
        <TransferProject project={project} />
      </Paper>
      <Paper withBorder p="md">
        <Stack align="flex-start">
          <Title order={3} size="h5">
            Delete this project
          </Title>
          <Text>
            Deletes its site, all deploys and all domains immediately. This cannot be undone.
          </Text>
          <ConfirmButton
            size="sm"
            variant="filled"
            color="red"
            title={`Delete ${name}?`}
            text={`${address} goes offline, and everything deployed to it is deleted.`}
            verb="Delete project"
            name={name}
            act={async () => {
              await remove.mutateAsync({ params: { slug }, query: { name } })
              await navigate('/', { replace: true })
              // The way back leads to its pages, which do not exist anymore.
              client.removeQueries(projectQueries(slug))
            }}
            done={`${name} is deleted.`}
          />
        </Stack>
      </Paper>
    </Section>
  )
}

type Members = Answer<'GET /projects/{slug}/members'>

/** Offers a project to one of its members, who then owns it. It says before what the plan of the new owner suspends. */
function TransferProject({ project }: { project: Project }) {
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
        {(members) => <Offer project={project} members={members} />}
      </Loaded>
    </Stack>
  )
}

function Offer({ members, project: { slug } }: { members: Members; project: Project }) {
  const revoke = useChange('DELETE /projects/{slug}/invitations/{invitationId}')
  const open = members.invitations.find(({ role }) => role === 'owner')
  if (open) {
    return (
      <Group gap="sm">
        <Text>
          Offered to {open.email}. The offer expires <Ago time={open.expiresAt} />.
        </Text>
        <ConfirmButton
          size="sm"
          title="Revoke this offer?"
          text={`${open.email} can no longer accept it.`}
          verb="Revoke offer"
          act={() => revoke.mutateAsync({ params: { invitationId: open.id } })}
          done="The offer is revoked."
        />
      </Group>
    )
  }
  if (members.items.length === 0) {
    return (
      <Note>
        This project has no members. Invite the new owner{' '}
        <PageLink to={`/projects/${slug}/settings/members`} inherit>
          under Members
        </PageLink>{' '}
        first.
      </Note>
    )
  }
  return <OfferForm slug={slug} items={members.items} />
}

function OfferForm({ items, slug }: { slug: string; items: Members['items'] }) {
  const offer = useChange('POST /projects/{slug}/members/{accountId}/transfer')
  const { field, form } = useForm({
    initial: { accountId: items[0]?.accountId ?? '' },
    async send({ accountId }) {
      const { email = '', name = '' } = items.find((one) => one.accountId === accountId) ?? {}
      const params = { slug, accountId }
      const effects = await call('GET /projects/{slug}/members/{accountId}/transfer', { params })
      if (effects.refusal !== null) {
        throw new ManagementError({ code: 'refused', status: 0, message: effects.refusal })
      }
      confirm({
        title: `Offer this project to ${name}?`,
        text: (
          <Stack gap="xs">
            <Text>
              {email} finds the offer under Projects and can accept it within 14 days. Nothing
              changes until then.
            </Text>
            <SuspendedDomains hosts={effects.suspendedDomains} plan={`The plan of ${name}`} />
          </Stack>
        ),
        verb: 'Offer project',
        isDestructive: effects.suspendedDomains.length > 0,
        act: () => offer.mutateAsync({ params: { accountId } }),
        done: `The project is offered to ${email}.`,
      })
    },
  })
  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-end">
        <SelectField
          {...field('accountId')}
          label="New owner"
          data={items.map((one) => ({ value: one.accountId, label: `${one.name} (${one.email})` }))}
        />
        <Button loading={form.isPending} onClick={form.submit}>
          Transfer
        </Button>
      </Group>
      <Problem text={form.problem} />
    </Stack>
  )
}
