// Domains that are no longer served when a project or an account gets a plan without custom domains.
import { List, Stack, Text } from '@mantine/core'

/** The most hosts that are listed. */
const maxListed = 8

/** `plan`: whose it is, as in "Your plan". Nothing if no domain is suspended. */
export function SuspendedDomains({
  hasMore = false,
  hosts,
  plan,
  when,
}: {
  hosts: string[]
  /** There are others than these hosts. */
  hasMore?: boolean
  plan: string
  /** From or until when, as in "after the transfer". */
  when: string
}) {
  if (hosts.length === 0) return null
  const rest = hosts.length - maxListed
  return (
    <Stack gap="xs">
      <Text>
        {`${plan} has no custom domains. ${hosts.length === 1 ? 'This one is' : 'These are'} no longer served${when}. The names stay reserved.`}
      </Text>
      <List>
        {hosts.slice(0, maxListed).map((host) => (
          <List.Item key={host}>{host}</List.Item>
        ))}
      </List>
      {rest > 0 && <Text>{`and ${rest}${hasMore ? ' or' : ''} more`}</Text>}
    </Stack>
  )
}
