// A list of tokens: the name, the times, how one is revoked; and how long a new one can be valid.
import { Group, Stack } from '@mantine/core'
import type { ComponentProps } from 'react'
import { ConfirmButton } from './actions.tsx'
import { LoadedRecords, timeColumn } from './records.tsx'
import { Note, StateBadge, useNow } from './values.tsx'

interface Token {
  id: string
  label: string
  lastUsedAt: string | null
  expiresAt: string
}

function TokenName({ by, token }: { token: Token; by: string | undefined }) {
  const { expiresAt, label } = token
  const now = useNow()
  return (
    <Stack gap={0}>
      <Group gap={6}>
        {label}
        {Date.parse(expiresAt) <= now && <StateBadge tone="neutral">Expired</StateBadge>}
      </Group>
      {by !== undefined && <Note>by {by}</Note>}
    </Stack>
  )
}

/** The list of tokens, each with what more is known of it. */
export function TokenRecords<Row extends Token>({
  columns,
  nameBy,
  revoke,
  revoked,
  ...records
}: Omit<ComponentProps<typeof LoadedRecords<Row>>, 'actions'> & {
  /** Who created a token, if that is shown. */
  nameBy?: (row: Row) => string
  revoke: (id: string) => Promise<unknown>
  /** What happens to programs that use it. */
  revoked: string
}) {
  return (
    <LoadedRecords<Row>
      {...records}
      columns={[
        {
          title: 'Name',
          isHead: true,
          by: ({ label }) => label,
          cell: (token) => <TokenName token={token} by={nameBy?.(token)} />,
        },
        ...columns,
        timeColumn('Last used', 'lastUsedAt', { isSorted: true }),
        timeColumn('Expires', 'expiresAt', { isSorted: true }),
      ]}
      actions={({ id, label }) => (
        <ConfirmButton
          label={`Revoke ${label}`}
          title={`Revoke ${label}?`}
          text={revoked}
          verb="Revoke"
          act={() => revoke(id)}
          done={`${label} is revoked.`}
        />
      )}
    />
  )
}

export const tokenLifetimes = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '366', label: 'in a year' },
]
