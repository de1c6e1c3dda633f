// One project: its address, what is live, the form to deploy, and all deploys.
import { Alert, Anchor, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useAttempt } from '../components/announcements.tsx'
import { Copy } from '../components/copy.tsx'
import { ExternalIcon } from '../components/icons.tsx'
import { Page, Section } from '../components/page.tsx'
import { Empty, Loaded, LoadedPages } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { bytes, counted, shownAddress } from '../platform/numbers.ts'
import { useChange } from '../platform/requests.ts'
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
  const { slug = '' } = useParams()
  const project = useProject(slug)
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
              <Anchor href={address} target="_blank" rel="noreferrer" fw={600}>
                {shownAddress(address)} <ExternalIcon size={14} />
              </Anchor>
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
      <LoadedPages query={useDeploys(project)}>
        {(deploys) =>
          deploys.length === 0 ? (
            <Empty title="No deploys yet">All deploys are kept here and can be restored.</Empty>
          ) : (
            <ol className={classes.deploys} aria-label="Deploys">
              {deploys.map((deploy) => (
                <DeployRow key={deploy.number} deploy={deploy} slug={project.slug} />
              ))}
            </ol>
          )
        }
      </LoadedPages>
    </Section>
  )
}

const states: Record<Deploy['state'], { title: string; color: string }> = {
  uploaded: { title: 'Queued', color: 'blue' },
  building: { title: 'Building', color: 'blue' },
  live: { title: 'Live', color: 'leaf' },
  superseded: { title: 'Superseded', color: 'gray' },
  failed: { title: 'Failed', color: 'red' },
}

function DeployRow({ deploy, slug }: { deploy: Deploy; slug: string }) {
  const { createdAt, failure, number, siteBytes, siteFiles, sourceFiles, state } = deploy
  const restore = useChange('POST /projects/{slug}/deploys/{number}/restore', projectQueries(slug))
  const attempt = useAttempt()
  const { color, title } = states[state]
  return (
    <li className={classes.deploy}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Group gap="sm">
            <Text fw={600}>#{number}</Text>
            <Badge variant="light" color={color} tt="none">
              {title}
            </Badge>
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
          <Button
            size="compact-sm"
            h={30}
            variant="default"
            loading={restore.isPending}
            aria-label={`Restore deploy ${number}`}
            onClick={() =>
              attempt(
                restore.mutateAsync({ params: { slug, number: String(number) } }),
                () => `Deploy ${number} is live again.`,
              )
            }
          >
            Restore
          </Button>
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
