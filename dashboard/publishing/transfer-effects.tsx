// What the transfer of a project to another owner does to its domains.
import { List, Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'

export type TransferEffects = Answer<'GET /projects/{slug}/members/{accountId}/transfer'>

/** The most hosts that are listed. */
const maxListed = 8

/** `plan`: whose it is, as in "your plan". Nothing if no domain is suspended. */
export function SuspendedDomains({
  effects: { suspendedDomains: hosts },
  plan,
}: {
  effects: TransferEffects
  plan: string
}) {
  if (hosts.length === 0) return null
  const rest = hosts.length - maxListed
  return (
    <Stack gap="xs">
      <Text>
        {`${plan} has no custom domains. ${hosts.length === 1 ? 'This one is' : 'These are'} no longer served after the transfer. The names stay reserved.`}
      </Text>
      <List>
        {hosts.slice(0, maxListed).map((host) => (
          <List.Item key={host}>{host}</List.Item>
        ))}
      </List>
      {rest > 0 && <Text>{`and ${rest} more`}</Text>}
    </Stack>
  )
}
