// What the lists of tokens share: the name, the times, how one is revoked, and how long a new one can be valid.
import { Group, Stack } from '@mantine/core'
import { ConfirmButton } from './actions.tsx'
import { Ago, Note, StateBadge, useNow } from './values.tsx'

interface Token {
  label: string
  lastUsedAt: string | null
  expiresAt: string
}

export function TokenName({ by, token: { expiresAt, label } }: { token: Token; by?: string }) {
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

/** Columns of a list. */
export const tokenTimes = [
  {
    title: 'Last used',
    by: ({ lastUsedAt }: Token) => lastUsedAt ?? '',
    cell: ({ lastUsedAt }: Token) => <Ago time={lastUsedAt} />,
  },
  {
    title: 'Expires',
    by: ({ expiresAt }: Token) => expiresAt,
    cell: ({ expiresAt }: Token) => <Ago time={expiresAt} />,
  },
]

export function RevokeToken({
  act,
  label,
  text,
}: {
  label: string
  text: string
  act: () => Promise<unknown>
}) {
  return (
    <ConfirmButton
      label={`Revoke ${label}`}
      title={`Revoke ${label}?`}
      text={text}
      verb="Revoke"
      act={act}
      done={`${label} is revoked.`}
    />
  )
}

export const tokenLifetimes = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '366', label: 'in a year' },
]
