// The frame of every page, its sections, and the states of their content: loading, failed, empty, loaded.
import {
  Box,
  Button,
  Center,
  Flex,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
  type TitleOrder,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useQueryClient,
} from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Link, useNavigationType } from 'react-router'
import { ManagementError } from '../../client/management-client.ts'
import { explain, isCode } from '../platform/api.ts'
import { accountQuery, useAccount } from '../platform/requests.ts'
import { leaveForSignIn } from '../platform/session.ts'
import { LockIcon } from './icons.tsx'
import { Note, PageLink } from './values.tsx'

interface PageProps {
  title: string
  /** The part of the page that is shown, for the title of the window. */
  tab?: string
  /** The page that this one is part of. */
  within?: { title: string; to: string }
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ actions, children, lead, tab, title, within }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const navigation = useNavigationType()
  const titles = [tab, title, within?.title, 'Animal Store']
  useDocumentTitle(titles.filter((each) => each !== undefined).join(' · '))
  // After a link, the focus makes screen readers announce the new page; a loaded page is announced anyway. A filter that
  // changes the address of the page takes the focus from nobody.
  // biome-ignore lint/correctness/useExhaustiveDependencies: how the page was opened
  useEffect(() => {
    // Not while somebody types into the palette, which was opened before this page was loaded.
    const isSearching = document.activeElement?.matches('[aria-modal="true"] [role="combobox"]')
    if (navigation === 'PUSH' && !isSearching) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <Box maw={{ base: '72rem', xl: '86rem' }} mx="auto" p="1.25rem clamp(1rem, 3vw, 2.5rem) 5rem">
      {within && (
        <Flex mb="0.35rem">
          <PageLink to={within.to} lh={1}>
            {within.title}
          </PageLink>
        </Flex>
      )}
      <Group mih="2.5rem" mb="0.5rem" justify="space-between" align="center" gap="sm">
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {lead && (
        <Text maw="44rem" c="dimmed" mb="lg">
          {lead}
        </Text>
      )}
      {children}
    </Box>
  )
}

interface SectionProps {
  title: string
  /** Of its address: `#id`. */
  id?: string
  /** What it is for, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  level?: TitleOrder
  size?: 'h3' | 'h4' | 'h5' | 'h6'
  /** Its content is in a card. */
  isFramed?: boolean
  children: ReactNode
}

/** A titled part of a page, with actions beside the title. */
export function Section({
  actions,
  children,
  id,
  isFramed = false,
  lead,
  level = 2,
  size = level === 2 ? 'h4' : 'h6',
  title,
}: SectionProps) {
  const titleId = useId()
  return (
    <Box
      component="section"
      miw={0}
      style={{ scrollMarginTop: '4.5rem' }}
      id={id}
      aria-labelledby={titleId}
    >
      <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
        <Box flex={lead ? '1 1 17rem' : '1 1 0'} miw={lead ? 0 : 'min-content'}>
          <Title order={level} size={size} id={titleId}>
            {title}
          </Title>
          {lead && <Note maw={620}>{lead}</Note>}
        </Box>
        {actions}
      </Group>
      {isFramed ? (
        <Paper withBorder p="md">
          {children}
        </Paper>
      ) : (
        children
      )}
    </Box>
  )
}

/** Placeholders of the height of the content, so that the layout does not move. */
export function Loading({ rows = 4, height = 44 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="sm" aria-busy="true" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={i} height={height} radius="md" />
      ))}
    </Stack>
  )
}

/** Why it failed, and what to do. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  if (isCode(error, 'operator_only')) return <NotAllowed />
  const isMissing = error instanceof ManagementError && error.status === 404
  return (
    <Paper withBorder p="lg" role="alert">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {isMissing ? 'Page not found' : 'Could not load this page'}
        </Title>
        <Text>{explain(error)}</Text>
        {isMissing && <ToProjects />}
        {retry && !isMissing && <Button onClick={retry}>Try again</Button>}
      </Stack>
    </Paper>
  )
}

interface EmptyProps {
  title: string
  icon?: ReactNode
  children?: ReactNode
  action?: ReactNode
  /** In a card, in place of a list that has one. */
  isFramed?: boolean
}

/** There is no content yet: what it would be, and how to add it. */
export function Empty({ action, children, icon, isFramed = false, title }: EmptyProps) {
  const frame = isFramed ? { component: Paper, withBorder: true, p: 'md' } : { py: 40 }
  return (
    <Center {...frame}>
      <Stack gap="xs" align="center" maw={420}>
        {icon}
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" ta="center">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}

/** The filters of a list match nothing. */
export function NoMatches({ clear, of }: { of: string; clear: () => void }) {
  const showAll = <Button onClick={clear}>Show all {of}</Button>
  return <Empty title={`No matching ${of}`} action={showAll} />
}

/** From where there is nothing to see. */
export const ToProjects = (button: { variant?: 'filled' }) => (
  <Button component={Link} to="/" {...button}>
    Go to projects
  </Button>
)

/** In place of what only operators can see: who is signed in, and who can change that. */
export function NotAllowed() {
  const { email } = useAccount()
  const client = useQueryClient()
  // The role may have changed since the page was opened: the navigation follows.
  useEffect(() => void client.invalidateQueries({ queryKey: accountQuery.queryKey }), [client])
  return (
    <Empty
      title="This page is for operators"
      icon={<LockIcon size={28} />}
      action={
        <Group gap="xs" justify="center">
          <ToProjects variant="filled" />
          <Button onClick={leaveForSignIn}>Use another account</Button>
        </Group>
      }
    >
      You are signed in as {email}, a member. An operator can change your role under Members.
    </Empty>
  )
}

/** The content of a query, or its state until there is content. */
export function Loaded<Data>({
  children,
  loading,
  query,
}: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  loading?: ReactNode
}) {
  return query.data === undefined ? notLoaded(query, loading) : children(query.data)
}

/** The items of a list that were fetched so far, and a button for its next page. */
export function LoadedItems<Item>({
  children,
  empty,
  hasMore = true,
  loading,
  query,
}: {
  query: UseQueryResult<{ items: Item[] }> | UseInfiniteQueryResult<InfiniteData<{ items: Item[] }>>
  children: (items: Item[]) => ReactNode
  empty?: ReactNode
  /** Whether it offers the next page. */
  hasMore?: boolean
  loading?: ReactNode
}) {
  if (query.data === undefined) return notLoaded(query, loading)
  const pages = 'pages' in query.data ? query.data.pages : [query.data]
  const items = pages.flatMap((page) => page.items)
  return (
    <>
      {items.length === 0 && empty ? empty : children(items)}
      {hasMore && 'hasNextPage' in query && query.hasNextPage && (
        <Center mt="md">
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </Center>
      )}
    </>
  )
}

function notLoaded(
  { error, refetch }: Pick<UseQueryResult, 'error' | 'refetch'>,
  loading: ReactNode = <Loading />,
): ReactNode {
  return error ? <Failed error={error} retry={() => void refetch()} /> : loading
}
