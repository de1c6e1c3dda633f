// What visitors of a project see, what needs attention, and the last deploys. Before the first one, the form to deploy.
import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { Copy } from '../components/copy.tsx'
import { Loaded, Loading, Section } from '../components/page.tsx'
import { ExternalLink, Facts, Lines, Note, PageLink, StateBadge } from '../components/values.tsx'
import { bytes, counted, shownAddress } from '../platform/formats.ts'
import { useGet } from '../platform/requests.ts'
import { DeployButton, DeployForm } from './deploy-form.tsx'
import { DeployList, DeployOrigin } from './deploy-list.tsx'
import { Attention, SiteMark, useSite } from './project-marks.tsx'
import {
  addressOf,
  type Deploy,
  isUnderWay,
  type Project,
  titleOf,
  useDeploys,
  useProject,
  visibilityTitles,
} from './project-queries.ts'

type Report = Answer<'GET /projects/{slug}/deploys/{number}/report'>

export function Component() {
  return (
    <Loaded query={useProject()} loading={<Loading rows={1} height={280} />}>
      {(project) => <Overview project={project} />}
    </Loaded>
  )
}

function Overview({ project }: { project: Project }) {
  const { liveDeploy, slug } = project
  const deploys = useDeploys(project)
  const [last] = deploys.data?.pages[0]?.items ?? []
  const isFirst = liveDeploy === null && !(last && isUnderWay(last))
  return (
    <Stack gap="xl">
      <Stack gap="md">
        <Attention project={project} />
        {liveDeploy ? (
          <Site project={project} live={liveDeploy} />
        ) : (
          <Unpublished project={project} />
        )}
      </Stack>
      {isFirst && (
        <Section title="Deploy">
          <DeployForm slug={slug} />
        </Section>
      )}
      <Section
        title="Recent deploys"
        actions={<PageLink to={`/projects/${slug}/deploys`}>All deploys</PageLink>}
      >
        <DeployList query={deploys} max={3} />
      </Section>
    </Stack>
  )
}

const anywhere = { overflowWrap: 'anywhere' } as const

function Site({ live, project }: { project: Project; live: Deploy }) {
  const { address, domains, slug, visibility } = project
  const shown = addressOf(project)
  const { title } = useSite(project)
  const report = useGet('GET /projects/{slug}/deploys/{number}/report', {
    params: { slug, number: String(live.number) },
    enabled: live.kind === 'rendered',
  })
  const generator = report.data?.generator
  const other = shown === address ? null : <ExternalLink href={address} />
  const primary = (
    <PageLink to={`/projects/${slug}/settings/domains`} size="md">
      {domains.primary ?? (domains.count > 0 ? 'None is active yet' : 'Add your own domain')}
    </PageLink>
  )
  return (
    <Paper withBorder p="1.25rem" display="grid" style={{ gap: '1rem' }}>
      <Group gap="0.9rem 1rem" pb="1.1rem" style={{ borderBottom: '1px solid var(--line)' }}>
        <SiteMark project={project} isLarge />
        {/* A long address is not beside the mark on a phone. */}
        <Box display={{ base: 'contents', xs: 'block' }} flex="1 1 12rem" miw={0}>
          <Text fw={650} fz="lg" lh={1.3} flex={1} miw={0} style={anywhere}>
            {title}
          </Text>
          <Group gap={4} wrap="nowrap" flex="0 1 100%" miw={0} style={anywhere}>
            <ExternalLink href={shown} />
            <Copy value={shown} what="the address" />
          </Group>
        </Box>
        <Group gap="xs">
          <Button component="a" href={shown} target="_blank" rel="noreferrer">
            Visit
          </Button>
          <DeployButton project={project} />
        </Group>
      </Group>
      <div>
        <Group gap="0.15rem 0.75rem">
          <Text fw={600}>{titleOf(live)}</Text>
          <StateBadge tone="success">Live</StateBadge>
          {visibility !== 'public' && (
            <StateBadge tone="neutral">{visibilityTitles[visibility]}</StateBadge>
          )}
        </Group>
        <DeployOrigin deploy={live} />
      </div>
      <Facts
        facts={[
          ['Primary domain', primary],
          ['Other address', other],
          ['Domains', domains.count > 1 ? counted(domains.count, 'domain') : null],
          ['Generator', generator ? generatorLines(generator) : null],
          ['Content', `${counted(live.siteFiles, 'file')}, ${bytes(live.siteBytes)}`],
        ]}
      />
    </Paper>
  )
}

/** `Material for MkDocs`, and below it `navigation and title from mkdocs.yml`. */
function generatorLines({ file, name, taken }: NonNullable<Report['generator']>) {
  const parts = new Intl.ListFormat('en').format(taken)
  return <Lines first={name} second={`${parts === '' ? 'recognised' : parts} from ${file}`} />
}

function Unpublished({ project: { address } }: { project: Project }) {
  return (
    <Paper withBorder p="md">
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Text fw={600} style={anywhere}>
          {shownAddress(address)}
        </Text>
        <Copy value={address} what="the address" />
      </Group>
      <Note>Nothing is published yet.</Note>
    </Paper>
  )
}
