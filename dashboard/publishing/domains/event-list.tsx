// The history of the domains of a project, newest first.
import { Table, Text } from '@mantine/core'
import type { Answer } from '../../../client/management-client.ts'
import { LoadedItems } from '../../components/states.tsx'
import { Ago } from '../../components/time.tsx'
import { useGet } from '../../platform/requests.ts'
import { onDay } from '../../platform/times.ts'
import type { Domain } from './domain-queries.ts'

type DomainEvent = Answer<'GET /projects/{slug}/domain-events'>['items'][number]

export function EventList() {
  const events = useGet('GET /projects/{slug}/domain-events', { query: { limit: 30 } })
  return (
    <LoadedItems query={events} empty={<Text c="dimmed">No events yet.</Text>}>
      {(items) => (
        <Table.ScrollContainer minWidth={0} type="native">
          <Table verticalSpacing="xs">
            <Table.Tbody>
              {items.map((event) => (
                <Table.Tr key={event.id}>
                  <Table.Td>
                    <Text size="sm" fw={600}>
                      {event.host}
                    </Text>
                    <Text size="sm">{descriptions[event.type](event)}</Text>
                  </Table.Td>
                  <Table.Td ta="right" w={140} c="dimmed">
                    <Ago time={event.at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </LoadedItems>
  )
}

const descriptions: Record<DomainEvent['type'], (event: DomainEvent) => string> = {
  added: (event) => `Added${byActor(event)}`,
  removed: (event) => `Removed${byActor(event)}`,
  configured: (event) => `${roleOf(event.detail)}${byActor(event)}`,
  dns_changed: ({ detail }) => dnsChanges[detail.to ?? ''] ?? 'DNS changed',
  verified: ({ detail }) => `Verified by its ${detail.provenBy === 'txt' ? 'TXT' : 'DNS'} record`,
  preparation_requested: (event) => `Certificate before the switch requested${byActor(event)}`,
  preparation_canceled: (event) => `Certificate before the switch canceled${byActor(event)}`,
  preparation_ended: () => 'Certificate before the switch no longer requested',
  certificate_ordered: () => 'Certificate ordered',
  challenge_requested: ({ detail }) =>
    detail.because ? 'TXT record requested with a new value' : 'TXT record requested',
  certificate_prepared: () => 'Certificate issued: ready to switch',
  connect_started: (event) => `Connecting with ${event.detail.provider}${byActor(event)}`,
  connect_returned: ({ detail }) =>
    returns[detail.outcome ?? ''] ?? 'Returned from the DNS provider',
  switched: () => 'DNS switched',
  record_unused: ({ detail }) => `${detail.recordName} is no longer used`,
  active: () => 'Active over HTTPS',
  renewed: ({ detail }) =>
    detail.expiresAt ? `Renewed until ${onDay(detail.expiresAt)}` : 'Renewed',
  at_risk: () => 'At risk',
  failed: ({ detail }) => detail.problem ?? `No certificate: ${detail.reason ?? 'unknown reason'}`,
  suspended: () => 'Suspended: the plan has expired',
  paused: () => 'Paused: not verified in 30 days',
  lost: () => 'Lost',
}

/** By the state that follows. */
const dnsChanges: Record<string, string> = {
  unchecked: 'DNS not checked yet',
  missing: 'No DNS record found',
  conflict: 'Conflicting DNS record found',
  wrong_target: 'DNS record with another value found',
  partial: 'DNS record found at some name servers',
  ok: 'DNS record found',
  drifting: 'DNS points elsewhere',
  lost: 'DNS points elsewhere',
} satisfies Record<Domain['dns'], string>

const returns: Record<string, string> = {
  done: 'Returned from the DNS provider',
  cancelled: 'Cancelled at the DNS provider',
  failed: 'The DNS provider reported a failure',
}

export const eventTypes = Object.keys(descriptions)

const byActor = ({ actor }: DomainEvent): string => (actor?.name ? ` by ${actor.name}` : '')

function roleOf({ redirectStatus, redirectTo, role }: DomainEvent['detail']): string {
  if (role === 'primary') return 'Made primary'
  return redirectTo ? `Redirects to ${redirectTo} (${redirectStatus})` : 'Serves the site'
}
