// The history of the domains of a project, newest first.
import { Stack, Table, Text } from '@mantine/core'
import type { Answer } from '../../../client/management-client.ts'
import { Loaded } from '../../components/states.tsx'
import { Ago } from '../../components/time.tsx'
import { useGet } from '../../platform/requests.ts'
import { onDay } from '../../platform/times.ts'

type DomainEvent = Answer<'GET /projects/{slug}/domain-events'>['items'][number]

export function EventList({ slug }: { slug: string }) {
  const events = useGet('GET /projects/{slug}/domain-events', {
    params: { slug },
    query: { limit: 30 },
  })
  return (
    <Loaded query={events}>
      {({ items }) =>
        items.length === 0 ? (
          <Text c="dimmed">No events yet.</Text>
        ) : (
          <Table.ScrollContainer minWidth={0} type="native">
            <Table verticalSpacing="xs">
              <Table.Tbody>
                {items.map((event) => (
                  <Table.Tr key={event.id}>
                    <Table.Td>
                      <Stack gap={0}>
                        <Text size="sm" fw={600}>
                          {event.host}
                        </Text>
                        <Text size="sm">{sentenceOf(event)}</Text>
                      </Stack>
                    </Table.Td>
                    <Table.Td ta="right" w={140}>
                      <Text size="sm" c="dimmed">
                        <Ago time={event.at} />
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )
      }
    </Loaded>
  )
}

function sentenceOf({ actor, detail, type }: DomainEvent): string {
  const by = actor?.name ? ` by ${actor.name}` : ''
  switch (type) {
    case 'added':
      return `Added${by}`
    case 'removed':
      return `Removed${by}`
    case 'configured':
      return `${roleOf(detail)}${by}`
    case 'dns_changed':
      return `DNS: ${inWords(detail.from)} → ${inWords(detail.to)}`
    case 'verified':
      return `Verified by ${detail.provenBy === 'txt' ? 'its TXT record' : 'its DNS record'}`
    case 'certificate_ordered':
      return 'Certificate ordered'
    case 'active':
      return 'Active over HTTPS'
    case 'renewed':
      return detail.expiresAt ? `Renewed until ${onDay(detail.expiresAt)}` : 'Renewed'
    case 'at_risk':
      return 'At risk'
    case 'failed':
      return detail.problem ?? `No certificate: ${detail.reason ?? 'unknown reason'}`
    case 'suspended':
      return 'Suspended: the plan has expired'
    case 'paused':
      return 'Paused: not verified in 30 days'
    case 'lost':
      return 'Lost'
  }
}

function roleOf({ redirectStatus, redirectTo, role }: DomainEvent['detail']): string {
  if (role === 'primary') return 'Made primary'
  return redirectTo ? `Redirects to ${redirectTo} (${redirectStatus})` : 'Serves the site'
}

function inWords(state = 'unchecked'): string {
  return state.replaceAll('_', ' ')
}
