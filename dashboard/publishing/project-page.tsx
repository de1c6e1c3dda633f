// One project: its address, what is live, the form to deploy, and all deploys.
import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { ActionButton } from '../components/action-buttons.tsx'
import { Copy } from '../components/copy.tsx'
import { ExternalLink } from '../components/external-link.tsx'
import { Page, Section } from '../components/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, Loaded, LoadedItems } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { bytes, counted } from '../platform/numbers.ts'
import { useChange, useSlug } from '../platform/requests.ts'
import { DeployForm } from './deploy-form.tsx'
import classes from './project-page.module.css'
import {
  type Deploy,
  isUnderWay,
  type Project,
  projectQueries,
  useDeploys,
  useProject,
} from './project-queries.ts'

const within = [{ title: 'Projects', to: '/' }]

export function Component() {
  const slug = useSlug()
  const project = useProject()
  return (
    <Page
      title={project.data?.name ?? slug}
      within={within}
      actions={
        (project.data || !project.error) && (
          <Button component={Link} to={`/projects/${slug}/settings/domains`} variant="default">
            Project settings
          </Button>
        )
      }
    >
      <Loaded query={project}>{(found) => <Overview project={found} />}</Loaded>
    </Page>
  )
}

function Overview({ project }: { project: Project }) {
  const { address, liveDeploy, slug } = project
  return (
    <Stack gap="xl">
      <Paper withBorder p="md">
        <Group justify="space-between" gap="sm">
          <Stack gap={4}>
            <Group gap={4} wrap="nowrap" align="flex-start">
              <ExternalLink href={address} fw={600} />
              <Copy value={address} what="the address" />
            </Group>
            <Text size="sm" c="dimmed">
              {liveDeploy ? (
                <>
                  Deploy {liveDeploy.number} is live, {counted(liveDeploy.siteFiles, 'file')},{' '}
                  {bytes(liveDeploy.siteBytes)}, <Ago time={liveDeploy.createdAt} />
                </>
              ) : (
                'Nothing is published yet.'
              )}
            </Text>
          </Stack>
          <Button component={Link} to={`/projects/${slug}/settings/domains`} variant="light">
            Domains
          </Button>
        </Group>
      </Paper>
      <DeployForm slug={slug} />
      <History project={project} />
    </Stack>
  )
}

function History({ project }: { project: Project }) {
  return (
    <Section title="Deploys">
      <LoadedItems
        query={useDeploys(project)}
        empty={<Empty title="No deploys yet">All deploys are kept here and can be restored.</Empty>}
      >
        {(deploys) => (
          <ol className={classes.deploys} aria-label="Deploys">
            {deploys.map((deploy) => (
              <DeployRow key={deploy.number} deploy={deploy} />
            ))}
          </ol>
        )}
      </LoadedItems>
    </Section>
  )
}

const states = {
  uploaded: { title: 'Queued', tone: 'progress' },
  building: { title: 'Building', tone: 'progress' },
  live: { title: 'Live', tone: 'success' },
  superseded: { title: 'Superseded', tone: 'neutral' },
  failed: { title: 'Failed', tone: 'danger' },
} as const

function DeployRow({ deploy }: { deploy: Deploy }) {
  const { createdAt, failure, number, siteBytes, siteFiles, sourceFiles, state } = deploy
  const changed = projectQueries(useSlug())
  const restore = useChange('POST /projects/{slug}/deploys/{number}/restore', changed)
  const { title, tone } = states[state]
  return (
    <li className={classes.deploy}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Group gap="sm">
            <Text fw={600}>#{number}</Text>
            <StateBadge tone={tone}>{title}</StateBadge>
            <Text size="sm" c="dimmed">
              <Ago time={createdAt} />
            </Text>
          </Group>
          {isUnderWay(deploy) ? (
            <Text size="sm" c="dimmed" role="status">
              {counted(siteFiles, 'file')} built from {counted(sourceFiles, 'source file')}
            </Text>
          ) : (
            !failure && (
              <Text size="sm" c="dimmed">
                {counted(siteFiles, 'file')}, {bytes(siteBytes)}
              </Text>
            )
          )}
        </div>
        {state === 'superseded' && (
          <ActionButton
            h={30}
            label={`Restore deploy ${number}`}
            act={() => restore.mutateAsync({ params: { number: String(number) } })}
            done={`Deploy ${number} is live again.`}
          >
            Restore
          </ActionButton>
        )}
      </Group>
      {failure && (
        <Alert color="red" mt={6} p="xs">
          <Text size="sm">{failure.message}</Text>
          {failure.file && (
            <Text size="sm" ff="monospace">
              {failure.file}
              {failure.line !== null && `:${failure.line}`}
            </Text>
          )}
        </Alert>
      )}
    </li>
  )
}
