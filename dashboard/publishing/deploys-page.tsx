// All deploys of a project, and its previews.
import { Group, Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { ConfirmButton, RowMenu } from '../components/actions.tsx'
import { Copy } from '../components/copy.tsx'
import { Form, NewPasswordField, useForm } from '../components/form.tsx'
import { Loaded, LoadedItems, Section } from '../components/page.tsx'
import { Records, timeColumn } from '../components/records.tsx'
import { ExternalLink, StateBadge } from '../components/values.tsx'
import { attempt } from '../platform/announcements.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { DeployButton } from './deploy-form.tsx'
import { DeployList } from './deploy-list.tsx'
import { type Project, useDeploys, useProject } from './project-queries.ts'

export function Component() {
  return <Loaded query={useProject()}>{(project) => <Deploys project={project} />}</Loaded>
}

function Deploys({ project }: { project: Project }) {
  return (
    <Stack gap="xl">
      <Previews />
      <Section title="Deploys" size="h3" actions={<DeployButton project={project} />}>
        <DeployList query={useDeploys(project)} />
      </Section>
    </Stack>
  )
}

type Preview = Answer<'GET /projects/{slug}/previews'>['items'][number]

const route = '/projects/{slug}/previews/{preview}'
const pollMs = 15_000

/** The previews of a project: their addresses, Promote, the password, and when they end. */
function Previews() {
  const isBuilding = ({ deploy }: Preview): boolean => deploy === null
  const previews = useGet('GET /projects/{slug}/previews', {
    refetchInterval: ({ state }) => (state.data?.items.some(isBuilding) ? 1000 : pollMs),
  })
  const promote = useChange(`POST ${route}/promote`)
  // The form to deploy offers them.
  if (!previews.isError && (previews.data?.items.length ?? 0) === 0) return null
  return (
    <Section title="Previews" size="h3">
      <Text c="dimmed" mb="md">
        A preview shows a deploy at an address of its own, which is in no list and no search engine.
      </Text>
      <LoadedItems query={previews} empty={null}>
        {(items) => (
          <Records
            caption="Previews"
            rows={items.map((preview) => ({ ...preview, id: preview.name }))}
            columns={[
              {
                title: 'Name',
                isHead: true,
                by: ({ name }) => name,
                cell: (preview) => <Name preview={preview} />,
              },
              {
                title: 'Deploy',
                by: ({ deploy }) => deploy ?? 0,
                cell: ({ deploy }) => (deploy === null ? 'Not built yet' : `#${deploy}`),
              },
              timeColumn('Ends', 'expiresAt', { isSorted: true }),
            ]}
            actions={(preview) => (
              <Group gap="xs" wrap="nowrap" justify="flex-end">
                {preview.deploy !== null && (
                  <ConfirmButton
                    label={`Promote ${preview.name}`}
                    title={`Promote ${preview.name}?`}
                    text={`Visitors of the site see deploy ${preview.deploy} at once, without another build. The preview ends.`}
                    verb="Promote"
                    isDestructive={false}
                    act={() => promote.mutateAsync({ params: { preview: preview.name } })}
                    done={`Deploy ${preview.deploy} is live.`}
                  />
                )}
                <PreviewMenu preview={preview} />
              </Group>
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

function Name({ preview: { address, hasPassword, name } }: { preview: Preview }) {
  return (
    <Stack gap={2}>
      <Group gap={6}>
        {name}
        {hasPassword && <StateBadge tone="neutral">Password</StateBadge>}
      </Group>
      <Group gap={4} wrap="nowrap">
        <ExternalLink href={address} size="sm" />
        <Copy value={address} what="the address" />
      </Group>
    </Stack>
  )
}

function PreviewMenu({ preview }: { preview: Preview }) {
  const change = useChange(`PUT ${route}`)
  const end = useChange(`DELETE ${route}`)
  const { hasPassword, name } = preview
  const params = { preview: name }
  const removePassword = () => change.mutateAsync({ params, body: { password: null } })
  return (
    <RowMenu
      label={`More for ${name}`}
      actions={[
        {
          item: hasPassword ? 'Change password' : 'Set password',
          title: `Password of ${name}`,
          content: <PasswordForm name={name} />,
        },
        hasPassword && {
          item: 'Remove password',
          act: () => attempt(removePassword(), `${name} has no password.`),
        },
        {
          title: `End ${name}?`,
          text: 'Its address stops working at once, and its deploy is deleted.',
          verb: 'End preview',
          act: () => end.mutateAsync({ params }),
          done: `${name} has ended.`,
        },
      ]}
    />
  )
}

function PasswordForm({ name }: { name: string }) {
  const change = useChange(`PUT ${route}`)
  const { field, form } = useForm({
    initial: { password: '' },
    send: (body) => change.mutateAsync({ params: { preview: name }, body }),
    done: () => '',
  })
  return (
    <Form verb="Save password" {...form}>
      <Text size="sm">Everyone has to enter it, also those who entered an earlier one.</Text>
      <NewPasswordField {...field('password', 'Password')} />
    </Form>
  )
}
