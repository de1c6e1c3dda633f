// Removes a domain after a confirmation, then shows that it is offline, and whether its DNS records are deleted.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Answer } from '../../../client/management-client.ts'
import { CopyButton } from '../../components/copy.tsx'
import { useDialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { explain } from '../../platform/api.ts'
import { counted } from '../../platform/numbers.ts'
import { useChange, useGet, useSlug } from '../../platform/requests.ts'
import { onDay } from '../../platform/times.ts'
import {
  configurationQuery,
  type Domain,
  dropDomain,
  removedDomainsQuery,
} from './domain-queries.ts'
import { CheckButton, CheckedAt, RemovedRecords, useRemovalCheck } from './removed-records.tsx'
import { textOfRemoval } from './support-text.ts'

type RemovedDomain = Answer<'DELETE /projects/{slug}/domains/{host}'>

export function Removal({ close, domain: { host, role } }: { domain: Domain; close: () => void }) {
  const slug = useSlug()
  const remove = useChange('DELETE /projects/{slug}/domains/{host}', configurationQuery(slug))
  const client = useQueryClient()
  const open = useDialog()
  const { form } = useForm({
    initial: {},
    async send() {
      const removed = await remove.mutateAsync({ params: { host } })
      const at = new Date().toISOString()
      dropDomain(client, slug, host)
      void client.invalidateQueries(removedDomainsQuery(slug))
      open({
        title: `${host} is removed`,
        size: 'lg',
        content: (end) => <Removed removed={removed} at={at} end={end} />,
      })
    },
  })
  return (
    <Form close={close} verb="Remove" isDestructive {...form}>
      <Text>
        It stops serving traffic immediately: new requests are refused, open connections are closed,
        and its certificate is deleted.
        {role === 'primary' && ' The project will have no primary domain.'}
      </Text>
    </Form>
  )
}

function Removed({ at, end, removed }: { removed: RemovedDomain; at: string; end: () => void }) {
  const { endedRedirects, heldUntil, offline, records, wasPrimary } = removed
  return (
    <Stack>
      {offline ? (
        <Alert color="leaf" title={`Offline in ${offline.seconds.toFixed(2)} s`}>
          <Text size="sm">
            {offline.nodes.acknowledged === offline.nodes.living
              ? 'All connections closed'
              : `Connections closed on ${offline.nodes.acknowledged} of ${offline.nodes.living} processes`}
            {offline.connectionsCut > 0 && ` (${counted(offline.connectionsCut, 'connection')})`}.
            {offline.tls === 'refused' && ' A TLS handshake for the name was refused.'}
            {offline.http !== null && ` An HTTP request was answered with status ${offline.http}.`}
          </Text>
        </Alert>
      ) : (
        <Text>The domain was not served yet.</Text>
      )}
      {records.length > 0 && <RecordsToDelete removed={removed} />}
      {wasPrimary && <Text size="sm">The project no longer has a primary domain.</Text>}
      {endedRedirects.length > 0 && (
        <Text size="sm">
          {endedRedirects.join(', ')} redirected to it and now{' '}
          {endedRedirects.length === 1 ? 'serves' : 'serve'} the site directly.
        </Text>
      )}
      {heldUntil !== null && (
        <Text size="sm" c="dimmed">
          The name is reserved for you until {onDay(heldUntil)}: a leftover DNS record does not let
          other accounts claim it.
        </Text>
      )}
      <Group justify="space-between">
        <CopyButton text={textOfRemoval(removed, at)}>Copy for support</CopyButton>
        <Button onClick={end} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  )
}

/** They are looked up at once: they may be deleted already. */
function RecordsToDelete({
  removed: { host, persistentRecord, records },
}: {
  removed: RemovedDomain
}) {
  const { check, error, isPending } = useRemovalCheck(host)
  const { data } = useGet('GET /projects/{slug}/removed-domains')
  useEffect(() => void check().catch(() => {}), [check])
  const seen = data?.items.find((item) => item.host === host)
  const checkedAt = seen?.checkedAt ?? null
  const shown =
    seen?.records ??
    records.map((record) => ({
      ...record,
      ...{ state: 'unchecked' as const, detail: null, servers: [] },
      note: record.value === persistentRecord?.value ? persistentRecord.note : null,
    }))
  const isDeleted = seen?.state === 'deleted'
  const isPointing = shown.some(({ state, type }) => type !== 'TXT' && state !== 'deleted')
  return (
    <Stack gap="sm">
      {isDeleted ? (
        <Alert color="leaf" title="All DNS records are deleted" />
      ) : (
        <Text fw={600}>
          {shown.length === 1 ? 'Delete this DNS record now' : 'Delete these DNS records now'}
        </Text>
      )}
      {isPointing && (
        <Text size="sm" c="dimmed">
          Until then, your domain points to a server that no longer serves it.
        </Text>
      )}
      <RemovedRecords records={shown} isChecking={checkedAt === null && isPending} />
      {error && !isPending && (
        <Text size="sm" c="red" role="alert">
          The records could not be checked. {explain(error)}
        </Text>
      )}
      <Group justify="space-between" gap="xs">
        <CheckedAt checkedAt={checkedAt} state={seen?.state ?? 'unchecked'} />
        {!isDeleted && <CheckButton check={check} host={host} isPending={isPending} />}
      </Group>
    </Stack>
  )
}
