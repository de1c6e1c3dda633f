// What visitors of a project did: views by day and page, searches without a result, and paths that were not found.
import { Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import type { Answer } from '../../client/management-client.ts'
import { ExternalLink } from '../components/external-link.tsx'
import { SelectField } from '../components/fields.tsx'
import { ChartIcon } from '../components/icons.tsx'
import { Section } from '../components/page.tsx'
import { Plot } from '../components/plot.tsx'
import { Ranking } from '../components/ranking.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { count } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import { onUtcDay } from '../platform/times.ts'
import { useFilters } from '../platform/use-filters.ts'
import { type Project, useProject } from './project-queries.ts'

type Visits = Answer<'GET /projects/{slug}/visits'>

const periods = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '400', label: 'Last 400 days' },
]

export function Component() {
  return <Loaded query={useProject()}>{(project) => <Analytics project={project} />}</Loaded>
}

function Analytics({ project }: { project: Project }) {
  const { get, set } = useFilters([])
  const days = periods.find(({ value }) => value === get('days'))?.value ?? '30'
  const visits = useGet(
    'GET /projects/{slug}/visits',
    { query: { days: Number(days) } },
    { placeholderData: keepPreviousData, refetchInterval: 30_000 },
  )
  return (
    <Section
      title="Analytics"
      size="h3"
      actions={
        <SelectField
          aria-label="Period"
          value={days}
          onChange={(period) => set({ days: period })}
          data={periods}
        />
      }
    >
      <Loaded query={visits} loading={<Loading rows={2} height={225} />}>
        {(found) => (
          <Stack gap="lg">
            {isEmpty(found) ? (
              <NothingYet project={project} />
            ) : (
              <Found visits={found} project={project} />
            )}
            <Text size="sm" c="dimmed">
              Counted without cookies, and without anything about the visitors. Robots are left out.
              Kept for 400 days. Days are in UTC.
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

const isEmpty = ({ notFound, pages, searches }: Visits): boolean =>
  pages.total + searches.total + notFound.total === 0

function NothingYet({ project: { address, liveDeploy } }: { project: Project }) {
  return (
    <Empty
      title="No views yet"
      icon={<ChartIcon size={28} />}
      action={
        liveDeploy && (
          <Button component="a" href={address} target="_blank" rel="noreferrer" variant="default">
            Visit
          </Button>
        )
      }
    >
      Views of your pages appear here within seconds. You don't need to add anything to the site.
    </Empty>
  )
}

function Found({ project, visits }: { visits: Visits; project: Project }) {
  const { days, notFound, pages, searches } = visits
  const dates = days.map(({ date }) => date)
  const every = Math.ceil(dates.length / 4)
  return (
    <Stack gap="lg">
      <Paper withBorder p="md" bg="var(--surface)">
        <Stack gap="sm">
          <Group gap="xs" align="baseline" role="status">
            <Text size="xl" fw={600} lh={1.2}>
              {count(pages.total)}
            </Text>
            <Text size="sm" c="dimmed">
              {pages.total === 1 ? 'view' : 'views'}
            </Text>
          </Group>
          <Plot
            title="Views per day"
            times={dates}
            marks={dates.flatMap((_, i) => ((dates.length - 1 - i) % every === 0 ? [i] : []))}
            formatTime={onUtcDay}
            empty="No views."
            lines={[{ name: 'Views', values: days.map(({ views }) => views), look: 'usual' }]}
            format={count}
          />
        </Stack>
      </Paper>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
        <Ranking
          title="Pages"
          names="Page"
          counts="Views"
          {...pages}
          show={(name) => (
            <ExternalLink size="sm" href={new URL(name, project.address).href}>
              {name}
            </ExternalLink>
          )}
          empty="No views in this period."
        />
        <Stack gap="lg">
          <Ranking
            title="Searches without a result"
            names="Search"
            counts="Times"
            {...searches}
            empty="None in this period."
          />
          <Ranking
            title="Not-found paths"
            names="Path"
            counts="Requests"
            {...notFound}
            empty="None in this period."
          />
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}
