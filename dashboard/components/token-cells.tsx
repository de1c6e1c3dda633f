// What the lists of tokens share: the name, the times, and how one is revoked.
import { Group, Stack, Text } from '@mantine/core'
import { useNow } from '../platform/use-now.ts'
import { ConfirmButton } from './action-buttons.tsx'
import { StateBadge } from './state-badge.tsx'
import { Ago } from './time.tsx'

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
      {by !== undefined && (
        <Text size="sm" c="dimmed">
          by {by}
        </Text>
      )}
    </Stack>
  )
}

/** Columns of a list. */
export const tokenTimes = [
  {
    title: 'Last used',
    by: ({ lastUsedAt }: Token) => lastUsedAt ?? '',
    cell: ({ lastUsedAt }: Token) => (lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'),
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
      confirmation={{
        title: `Revoke ${label}?`,
        text,
        verb: 'Revoke',
        act,
        done: `${label} is revoked.`,
      }}
    />
  )
}
