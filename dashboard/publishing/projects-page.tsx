// The projects that the account can see: their addresses and what is live.
import { Box, Button, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link, useNavigate } from 'react-router'
import type { Answer } from '../../client/management-client.ts'
import { ActionButton, AddButton, ConfirmButton } from '../components/actions.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { Form, TextField, useForm } from '../components/form.tsx'
import { Empty, LoadedItems, Loading, Page } from '../components/page.tsx'
import { Ago, ExternalLink, Note, PageLink, StateBadge } from '../components/values.tsx'
import { bytes, counted } from '../platform/formats.ts'
import { useAccount, useChange, useGet } from '../platform/requests.ts'
import { Attention, SiteMark, SuspendedDomains } from './project-marks.tsx'
import {
  addressOf,
  isUnderWay,
  type Project,
  projectListQuery,
  titleOf,
  useProjects,
} from './project-queries.ts'
import classes from './projects-page.module.css'

type Received = Answer<'GET /account/project-invitations'>['items'][number]

/** The projects that the account is invited to, or that are offered to it, above its own. */
function ReceivedInvitations() {
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
  const accept = useChange('POST /account/project-invitations/{invitationId}/accept', [
    { queryKey: ['account', 'project-invitations'] },
    projectListQuery,
  ])
  const decline = useChange('DELETE /account/project-invitations/{invitationId}')
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
              title={`Become the owner of ${name}?`}
              text={
                <Stack gap="xs">
                  <Text>
                    The project and its domains count towards your plan from now on. The owner of
                    before stays as an editor.
                  </Text>
                  <SuspendedDomains hosts={transfer.suspendedDomains} plan="Your plan" />
                </Stack>
              }
              verb="Accept project"
              isDestructive={transfer.suspendedDomains.length > 0}
              act={take}
              done={done}
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

export function Component() {
  const projects = useProjects()
  const isEmpty = !projects.data?.pages.some(({ items }) => items.length > 0)
  const create = <AddButton title="New project" content={<NewProject />} />
  return (
    <Page
      title="Projects"
      lead="Published documentation, each project at its own address."
      actions={!isEmpty && create}
    >
      <ReceivedInvitations />
      <LoadedItems
        query={projects}
        loading={<Loading rows={3} height={110} />}
        empty={
          <Empty title="No projects yet" action={create}>
            A project is a folder of documentation: Markdown, an OpenAPI document, or the output of
            a site generator.
          </Empty>
        }
      >
        {(page) => (
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="1rem">
            {page.map((project) => (
              <ProjectCard key={project.id} project={project} />
            ))}
          </SimpleGrid>
        )}
      </LoadedItems>
      {!isEmpty && <StorageLine />}
      {/* Below what is loaded, so that nothing moves it. */}
      {!projects.isPending && <FirstSteps />}
    </Page>
  )
}

/** What the account's own projects store. */
function StorageLine() {
  const { data } = useGet('GET /storage')
  if (!data) return <Text size="sm" mt="md" h="1lh" />
  return (
    <Note mt="md">
      Storage of your projects: {bytes(data.bytes)} of {bytes(data.maxBytes)},{' '}
      {counted(data.files, 'file')} of {data.maxFiles.toLocaleString('en')}
    </Note>
  )
}

function ProjectCard({ project }: { project: Project }) {
  const { lastDeploy, liveDeploy, name, role, slug } = project
  const isBuilding = lastDeploy !== null && isUnderWay(lastDeploy)
  const waiting = isBuilding ? 'Building' : 'Not published'
  return (
    <Paper withBorder p="md" pos="relative" className={classes.card ?? ''}>
      <Group gap="0.9rem" wrap="nowrap" align="stretch">
        <SiteMark project={project} />
        <Box flex={1} miw={0}>
          <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
            <Title order={2} size="h4">
              <Link to={`/projects/${slug}`} className={classes.cover}>
                {name}
              </Link>
            </Title>
            <StateBadge tone={liveDeploy ? 'success' : isBuilding ? 'progress' : 'neutral'}>
              {liveDeploy ? 'Published' : waiting}
            </StateBadge>
          </Group>
          <ExternalLink href={addressOf(project)} size="sm" pos="relative" />
          {(role === 'editor' || role === 'viewer') && (
            <Note mt="xs">You are {role === 'editor' ? 'an editor' : 'a viewer'}</Note>
          )}
          <Note mt="xs">
            {liveDeploy ? (
              <>
                {titleOf(liveDeploy)}, <Ago time={liveDeploy.finishedAt ?? liveDeploy.createdAt} />
              </>
            ) : isBuilding ? (
              `${titleOf(lastDeploy)} is being built.`
            ) : (
              'Deploy a folder or an archive to publish it.'
            )}
          </Note>
        </Box>
      </Group>
      {/* Above the link that covers the card. */}
      <Attention project={project} max={2} pos="relative" mt="0.75rem" />
    </Paper>
  )
}

function NewProject() {
  const create = useChange('POST /projects')
  const navigate = useNavigate()
  const { field, form } = useForm({
    initial: { name: '', slug: '' },
    async send({ name, slug }) {
      const created = await create.mutateAsync({ body: { name, ...(slug !== '' && { slug }) } })
      await navigate(`/projects/${created.slug}`)
    },
  })
  return (
    <Form verb="Create project" {...form}>
      <TextField {...field('name', 'Name')} />
      <TextField
        {...field(
          'slug',
          'Subdomain',
          'The first part of the address. Leave it empty to derive it from the name.',
        )}
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  )
}

/** For a new operator, until hidden. */
function FirstSteps() {
  const isOperator = useAccount().role === 'operator'
  const [isHidden, setHidden] = useLocalStorage({
    key: 'animal-store:first-steps-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const system = useGet('GET /system', {
    enabled: isOperator && !isHidden,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!isOperator || isHidden || !system.data) return null
  const { production, staging } = system.data.addresses
  return (
    <Paper withBorder mt="xl" p="lg" component="section" aria-labelledby="next" maw="48rem">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h4" id="next">
            Next steps
          </Title>
          <Button variant="subtle" size="compact-sm" onClick={() => setHidden(true)}>
            Hide
          </Button>
        </Group>
        <Text>
          The store API has two base addresses. Create a key under{' '}
          <PageLink to="/store/staging/keys" size="md">
            API keys
          </PageLink>
          , replace API_KEY with it, and call staging, which has sample animals:
        </Text>
        <CopyBlock
          what="the command for staging"
          text={`curl -H 'Authorization: Bearer API_KEY' '${staging}/pets?limit=3'`}
        />
        <Text>Production is empty at first:</Text>
        <CopyBlock
          what="the command for production"
          text={`curl -H 'Authorization: Bearer API_KEY' '${production}/pets'`}
        />
        <List spacing={4}>
          <List.Item>
            Publish your documentation: choose New project, then drop a folder on it.
          </List.Item>
          <List.Item>Use your own domain: Project settings, Domains, Add domain.</List.Item>
          <List.Item>
            Invite others under{' '}
            <PageLink to="/members" size="md">
              Members
            </PageLink>
            .
          </List.Item>
        </List>
      </Stack>
    </Paper>
  )
}
