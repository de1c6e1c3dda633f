// What visitors of a project did: views by day, page and source, searches without a result, paths that were not found, and
// answers to “Was this page helpful?”.
import {
  Box,
  Button,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Table,
  Text,
  type TextProps,
  VisuallyHidden,
} from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { Answer } from '../../client/management-client.ts'
import { SelectField } from '../components/form.tsx'
import { ChartIcon } from '../components/icons.tsx'
import { useChoice } from '../components/inputs.tsx'
import { Empty, Loaded, Loading, Section } from '../components/page.tsx'
import { Plot, PlotValues } from '../components/plot.tsx'
import { ExternalLink, Note, tones } from '../components/values.tsx'
import { capitalized, count, onUtcDate, onUtcDay } from '../platform/formats.ts'
import { useGet } from '../platform/requests.ts'
import { type Project, useProject } from './project-queries.ts'

type Visits = Answer<'GET /projects/{slug}/visits'>

const periods = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last 12 months' },
]

export function Component() {
  return <Loaded query={useProject()}>{(project) => <Analytics project={project} />}</Loaded>
}

function Analytics({ project }: { project: Project }) {
  const period = useChoice('days', periods, '30')
  const visits = useGet('GET /projects/{slug}/visits', {
    query: { days: Number(period.value) },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
  return (
    <Section title="Analytics" size="h3" actions={<SelectField aria-label="Period" {...period} />}>
      <Loaded query={visits} loading={<Loading rows={2} height={330} />}>
        {(analytics) => (
          <Stack
            gap="lg"
            opacity={visits.isPlaceholderData ? 0.6 : 1}
            aria-busy={visits.isPlaceholderData}
          >
            {isEmpty(analytics) ? (
              <NothingYet project={project} visits={analytics} />
            ) : (
              <Found visits={analytics} project={project} />
            )}
            <Note>
              Counted without cookies, and without anything about the visitors: of the page they
              came from, only the name of its site. Robots are left out. Kept for 400 days. Days are
              in UTC, and today is included.
            </Note>
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

const isEmpty = ({ notFound, pages, searches }: Visits): boolean =>
  [notFound, pages, searches].every(({ previous, total }) => total + (previous ?? 0) === 0)

function NothingYet({ project, visits }: { project: Project; visits: Visits }) {
  const { address, createdAt, liveDeploy, slug } = project
  const first = visits.days[0]?.date ?? ''
  const isNew = liveDeploy === null || createdAt >= first
  return (
    <Empty
      title={isNew ? 'No views yet' : `No views since ${onUtcDay(first)}`}
      icon={<ChartIcon size={28} />}
      action={
        liveDeploy ? (
          <Button component="a" href={address} target="_blank" rel="noreferrer">
            Visit
          </Button>
        ) : (
          <Button component={Link} to={`/projects/${slug}`}>
            Go to the overview
          </Button>
        )
      }
    >
      {liveDeploy
        ? 'Views of your pages, where they came from, and searches without results appear here within seconds. You don’t need to add anything to the site.'
        : 'Views of your pages appear here as soon as a deploy is live. You don’t need to add anything to the site.'}
    </Empty>
  )
}

function Found({ project, visits }: { visits: Visits; project: Project }) {
  const { days, direct, helpful, notFound, notHelpful, pages, searches, sources } = visits
  const before = `the ${days.length} days before`
  const bySource = [...sources.items, { ...direct, name: '' }]
    .filter((source) => source.count > 0)
    .sort((a, b) => b.count - a.count)
  const rankings: Omit<RankingProps, 'before'>[] = [
    {
      title: 'Pages',
      heads: ['Page', 'Views'],
      ...pages,
      show: (name) => (
        <ExternalLink size="sm" href={new URL(name, project.address).href}>
          {name}
        </ExternalLink>
      ),
      empty: 'No views in this period.',
    },
    {
      title: 'Sources',
      heads: ['Site', 'Views'],
      items: bySource,
      total: sources.total + direct.count,
      previous: sources.previous === null ? null : sources.previous + (direct.previous ?? 0),
      // Not linked: anyone can send the name of a site.
      show: (name) => (name === '' ? 'Direct' : name),
      empty: 'No views from other sites in this period.',
    },
    { title: 'Searches without a result', heads: ['Search', 'Times'], ...searches },
    { title: 'Not-found paths', heads: ['Path', 'Requests'], ...notFound },
    ...(helpful.total + notHelpful.total > 0 ? [answers(visits)] : []),
  ]
  return (
    <Stack gap="lg">
      <Views visits={visits} before={before} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
        {rankings.map((ranking) => (
          <Ranking key={ranking.title} before={before} {...ranking} />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

/** “Was this page helpful?”: pages by all of their answers. */
function answers({ helpful, notHelpful }: Visits): Omit<RankingProps, 'before'> {
  const yes = new Map(helpful.items.map((item) => [item.name, item]))
  const no = new Map(notHelpful.items.map((item) => [item.name, item]))
  const sum = (a: number | null = 0, b: number | null = 0) => (a ?? 0) + (b ?? 0)
  const items = [...new Set([...yes.keys(), ...no.keys()])].map((name) => ({
    name,
    count: sum(yes.get(name)?.count, no.get(name)?.count),
    previous: sum(yes.get(name)?.previous, no.get(name)?.previous),
  }))
  return {
    title: 'Was this page helpful?',
    heads: ['Page', 'Answers'],
    items: items.sort((a, b) => b.count - a.count),
    total: helpful.total + notHelpful.total,
    previous: helpful.previous === null ? null : sum(helpful.previous, notHelpful.previous),
    show: (name) => (
      <>
        {name}{' '}
        <Note
          span
        >{`${count(yes.get(name)?.count ?? 0)} yes, ${count(no.get(name)?.count ?? 0)} no`}</Note>
      </>
    ),
  }
}

function Views({ before, visits }: { visits: Visits; before: string }) {
  const { days, pages } = visits
  const dates = days.map(({ date }) => date)
  const every = Math.ceil(dates.length / 4)
  const formatTime = dates.length > 200 ? onUtcDate : onUtcDay
  const { previous } = pages
  const hasChanges = isCompared(previous)
  const earlier = hasChanges ? [capitalized(before)] : []
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group gap="xs" align="baseline" role="status">
          <Text size="xl" fw={600} lh={1.2}>
            {count(pages.total)}
          </Text>
          <Note>{pages.total === 1 ? 'view' : 'views'}</Note>
          {hasChanges && (
            <Box
              p="0.05rem 0.5rem"
              bdrs="sm"
              {...tones[pages.total > previous ? 'success' : 'neutral']}
            >
              <Change now={pages.total} previous={previous} before={before} fw={600} />
            </Box>
          )}
          <Note>
            {previous === null
              ? 'The months before are not kept'
              : `${previous === 0 ? 'None' : count(previous)} in ${before}`}
          </Note>
        </Group>
        <Plot
          title="Views per day"
          times={dates}
          marks={dates.flatMap((_, i) => ((dates.length - 1 - i) % every === 0 ? [i] : []))}
          formatTime={formatTime}
          formatMark={onUtcDay}
          empty="No views."
          lines={[
            { name: 'Views', values: days.map(({ views }) => views), look: 'usual' },
            ...earlier.map((name) => ({
              name,
              values: days.map(({ previous }) => previous),
              look: 'earlier' as const,
            })),
          ]}
          format={count}
        />
        <PlotValues
          title="Views by day"
          head={['Day', 'Views', ...earlier]}
          rows={days
            .map(({ date, previous, views }) => [
              onUtcDate(date),
              count(views),
              ...earlier.map(() => count(previous ?? 0)),
            ])
            .reverse()}
          empty="No views."
        >
          Views of all pages.
        </PlotValues>
      </Stack>
    </Paper>
  )
}

interface RankedName {
  name: string
  count: number
  /** In the period before; null if that is not known. */
  previous: number | null
}

const shownAtFirst = 8
const numbers = { ta: 'right', w: '5rem', pr: 0 } as const

interface RankingProps {
  title: string
  /** The titles of the columns: of the names, and of the counts. */
  heads: [string, string]
  items: RankedName[]
  /** Of all, those that are not among the items included. */
  total: number
  /** The same of the period before. Without any, nothing is compared. */
  previous: number | null
  /** The period before: `the 30 days before`. */
  before: string
  show?: (name: string) => ReactNode
  empty?: string
}

/** Names by how often they occur, the most frequent first, with a bar for each and how it changed. */
function Ranking({
  before,
  empty = 'None in this period.',
  heads,
  items,
  previous,
  show = (name) => name,
  title,
  total,
}: RankingProps) {
  const [showsAll, setShowsAll] = useState(false)
  const hasChanges = isCompared(previous)
  const most = items[0]?.count ?? 1
  const shown = showsAll ? items : items.slice(0, shownAtFirst)
  const others = total - items.reduce((sum, item) => sum + item.count, 0)
  return (
    <Paper withBorder p="md" h="100%">
      <Section level={3} title={title}>
        {items.length === 0 && others === 0 ? (
          <Note>{empty}</Note>
        ) : (
          <Table
            aria-label={title}
            layout="fixed"
            tabularNums
            withRowBorders={false}
            horizontalSpacing="xs"
            verticalSpacing={7}
          >
            <Table.Thead>
              <Table.Tr>
                {[...heads, ...(hasChanges ? ['Change'] : [])].map((head, i) => (
                  <Table.Th
                    key={head}
                    scope="col"
                    c="dimmed"
                    fz="0.8rem"
                    fw={400}
                    {...(i > 0 && numbers)}
                  >
                    {head}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((item) => (
                <Table.Tr key={item.name}>
                  <Table.Th
                    scope="row"
                    fw={400}
                    pos="relative"
                    style={{ overflowWrap: 'anywhere' }}
                  >
                    <Box
                      pos="absolute"
                      inset="2px auto 2px 0"
                      w={`${Math.max(1, (100 * item.count) / most)}%`}
                      bdrs="sm"
                      bg="light-dark(#e7f0e8, #1f3428)"
                    />
                    <Box component="span" pos="relative">
                      {show(item.name)}
                    </Box>
                  </Table.Th>
                  <Table.Td fw={600} {...numbers}>
                    {count(item.count)}
                  </Table.Td>
                  {hasChanges && (
                    <Table.Td c="dimmed" style={{ whiteSpace: 'nowrap' }} {...numbers}>
                      <Change now={item.count} previous={item.previous ?? 0} before={before} />
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
              {others > 0 && (showsAll || items.length <= shownAtFirst) && (
                <Table.Tr>
                  <Table.Th scope="row" c="dimmed" fw={400}>
                    Others
                  </Table.Th>
                  <Table.Td fw={600} {...numbers}>
                    {count(others)}
                  </Table.Td>
                  {hasChanges && <Table.Td />}
                </Table.Tr>
              )}
            </Table.Tbody>
          </Table>
        )}
        {items.length > shownAtFirst && (
          <Button
            size="compact-sm"
            mt="sm"
            aria-expanded={showsAll}
            aria-label={`${showsAll ? 'Show fewer' : 'Show all'}: ${title}`}
            onClick={() => setShowsAll(!showsAll)}
          >
            {showsAll ? 'Show fewer' : `Show all ${items.length}`}
          </Button>
        )}
      </Section>
    </Paper>
  )
}

/** Not without any before: then everything would be new. */
const isCompared = (previous: number | null): previous is number =>
  previous !== null && previous > 0

/**
 * How a count differs from that of the period before: an arrow and a share for the eye, a sentence for screen readers.
 */
function Change({
  before,
  now,
  previous,
  ...text
}: TextProps & {
  now: number
  previous: number
  /** The period before: `the 30 days before`. */
  before: string
}) {
  const { said, shown } = describe(now, previous)
  return (
    <Text component="span" size="sm" {...text}>
      <span aria-hidden>{shown}</span>
      <VisuallyHidden>{`${said} ${before}`}</VisuallyHidden>
    </Text>
  )
}

function describe(now: number, previous: number): { shown: string; said: string } {
  if (now === previous) return { shown: '0%', said: 'As many as in' }
  if (previous === 0) return { shown: 'New', said: 'None in' }
  const share = (100 * Math.abs(now - previous)) / previous
  const percent = share < 1 ? 'Less than 1%' : `${count(Math.round(share))}%`
  const short = percent.replace('Less than ', '<')
  return now > previous
    ? { shown: `↑ ${short}`, said: `${percent} more than in` }
    : { shown: `↓ ${short}`, said: `${percent} less than in` }
}
