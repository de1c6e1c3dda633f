// The DNS records to delete after a domain was removed: each with what the name servers answer.
import { Group, Stack, Text } from '@mantine/core'
import { useCallback } from 'react'
import type { Answer } from '../../../client/management-client.ts'
import { ActionButton } from '../../components/action-buttons.tsx'
import { CopyValue } from '../../components/copy.tsx'
import { StateBadge, type Tone } from '../../components/state-badge.tsx'
import { Ago } from '../../components/time.tsx'
import { useChange, useSlug } from '../../platform/requests.ts'
import { removedDomainsQuery } from './domain-queries.ts'

export type DomainRemoval = Answer<'POST /projects/{slug}/removed-domains/{host}/verify'>
type RecordToDelete = DomainRemoval['records'][number]

export const removalStates: Record<DomainRemoval['state'], { title: string; tone: Tone }> = {
  unchecked: { title: 'Not checked', tone: 'neutral' },
  present: { title: 'Not deleted', tone: 'action' },
  unknown: { title: 'Unknown', tone: 'neutral' },
  deleted: { title: 'Deleted', tone: 'success' },
}

/** Asks all name servers now, and updates the list. */
export function useRemovalCheck(host: string) {
  const change = 'POST /projects/{slug}/removed-domains/{host}/verify'
  const { error, isPending, mutateAsync } = useChange(change, removedDomainsQuery(useSlug()))
  const check = useCallback(() => mutateAsync({ params: { host } }), [host, mutateAsync])
  return { check, error, isPending }
}

export function CheckButton({
  check,
  host,
  isPending = false,
  verb = 'Check again',
}: {
  check: () => Promise<DomainRemoval>
  host: string
  isPending?: boolean
  verb?: 'Check again' | 'Check now'
}) {
  return (
    <ActionButton
      h={30}
      label={`${verb} whether the records of ${host} are deleted`}
      act={check}
      done={(checked) => sentenceOf(checked)}
      {...(isPending && { loading: true })}
    >
      {verb}
    </ActionButton>
  )
}

export function sentenceOf({ records, state }: Pick<DomainRemoval, 'records' | 'state'>): string {
  const left = records.filter((record) => record.state !== 'deleted').length
  const some = `${left} of ${records.length} DNS ${records.length === 1 ? 'record' : 'records'}`
  if (state === 'deleted') return 'All DNS records are deleted.'
  if (state === 'unknown') return `${some} could not be checked at every name server.`
  return state === 'present'
    ? `${some} ${left === 1 ? 'is' : 'are'} not deleted.`
    : `${some} not checked yet.`
}

/** `isChecking`: the first check is under way. */
export function RemovedRecords({
  isChecking = false,
  records,
}: {
  records: RecordToDelete[]
  isChecking?: boolean
}) {
  return (
    <Stack gap="md">
      {records.map(({ detail, name, note, state, type, value }) => (
        <Stack key={`${type} ${name} ${value}`} gap={4}>
          <CopyValue value={`${name} ${type} ${value}`} what="the record" />
          <Group gap="xs" align="flex-start" wrap="nowrap">
            <StateBadge tone={isChecking ? 'progress' : removalStates[state].tone}>
              {isChecking ? 'Checking' : removalStates[state].title}
            </StateBadge>
            {detail !== null && <Text size="sm">{detail}</Text>}
          </Group>
          {note !== null && state !== 'deleted' && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </Stack>
      ))}
    </Stack>
  )
}

export function CheckedAt({ checkedAt, state }: Pick<DomainRemoval, 'checkedAt' | 'state'>) {
  if (checkedAt === null) return null
  return (
    <Text size="sm" c="dimmed">
      Checked <Ago time={checkedAt} />
      {state !== 'deleted' && ', and automatically every day'}.
    </Text>
  )
}
