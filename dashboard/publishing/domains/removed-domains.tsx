// Removed domains whose DNS records are to be deleted. Nothing where there are none.
import { Group, Stack, Text } from '@mantine/core'
import { ActionButton } from '../../components/action-buttons.tsx'
import { ExpandableCard } from '../../components/expandable-card.tsx'
import { Section } from '../../components/page.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { LoadedItems } from '../../components/states.tsx'
import { useChange, useGet, useSlug } from '../../platform/requests.ts'
import { onDay } from '../../platform/times.ts'
import { removedDomainsQuery } from './domain-queries.ts'
import {
  CheckButton,
  CheckedAt,
  type DomainRemoval,
  RemovedRecords,
  removalStates,
  sentenceOf,
  useRemovalCheck,
} from './removed-records.tsx'

export function RemovedDomains() {
  const removed = useGet('GET /projects/{slug}/removed-domains')
  if (removed.data === undefined && !removed.error) return null
  return (
    <LoadedItems query={removed}>
      {(items) =>
        items.length > 0 && (
          <Section title="Removed domains" level={3}>
            <Text size="sm" c="dimmed" mb="sm">
              Delete their DNS records: others could use a leftover record to take over the name.
            </Text>
            <Stack gap="sm">
              {items.map((removal) => (
                <RemovedDomain
                  key={removal.host}
                  removal={removal}
                  isOpenAtFirst={items.length === 1}
                />
              ))}
            </Stack>
          </Section>
        )
      }
    </LoadedItems>
  )
}

function RemovedDomain({
  isOpenAtFirst,
  removal,
}: {
  removal: DomainRemoval
  isOpenAtFirst: boolean
}) {
  const { checkedAt, host, records, removedAt, state, unicodeHost } = removal
  const { check } = useRemovalCheck(host)
  const list = removedDomainsQuery(useSlug())
  const dismiss = useChange('DELETE /projects/{slug}/removed-domains/{host}', list)
  const { title, tone } = removalStates[state]
  return (
    <ExpandableCard
      kind="removed"
      id={host}
      isOpenAtFirst={isOpenAtFirst}
      title={unicodeHost}
      level={4}
      tone={tone}
      beside={
        <StateBadge tone={tone} size="lg">
          {title}
        </StateBadge>
      }
      actions={
        state !== 'deleted' && (
          <CheckButton
            check={check}
            host={host}
            verb={checkedAt === null ? 'Check now' : 'Check again'}
          />
        )
      }
      details={() => (
        <Stack gap="md">
          <RemovedRecords records={records} />
          <Group justify="space-between" gap="xs">
            <CheckedAt checkedAt={checkedAt} state={state} />
            {state !== 'deleted' && (
              <ActionButton
                variant="subtle"
                color="gray"
                label={`Stop checking the records of ${host}`}
                act={() => dismiss.mutateAsync({ params: { host } })}
                done={`The records of ${host} are no longer checked.`}
              >
                Stop checking
              </ActionButton>
            )}
          </Group>
        </Stack>
      )}
    >
      <Text size="sm" c="dimmed">
        Removed on {onDay(removedAt)}. {sentenceOf(removal)}
      </Text>
    </ExpandableCard>
  )
}
