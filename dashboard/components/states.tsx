// What stands where content will be, cannot be, or is not yet: designed once, for all pages.
import { Button, Center, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { explain, Refusal } from '../platform/api.ts'

/** Lines as high as what comes, so that nothing jumps. */
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

/** Why it failed, and the way on. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const isMissing = error instanceof Refusal && error.status === 404
  return (
    <Paper withBorder p="lg" role="alert">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          {isMissing ? 'This is not here' : 'This could not be loaded'}
        </Title>
        <Text>{explain(error)}</Text>
        {isMissing && (
          <Button component={Link} to="/" variant="default">
            Go to the projects
          </Button>
        )}
        {retry && !isMissing && (
          <Button variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

/** Nothing is there yet: what would be, and how to begin. */
export function Empty({
  action,
  children,
  icon,
  title,
}: {
  title: string
  /** Above the title. */
  icon?: ReactNode
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <Center mih={220}>
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

/** The content of a query, or what stands in its place. */
export function Loaded<Data>({
  children,
  loading = <Loading />,
  query,
}: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  loading?: ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />
  return loading
}
