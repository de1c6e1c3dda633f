// Removes a domain after a confirmation, then shows that it is offline, and which DNS records to delete.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Answer } from '../../../client/management-client.ts'
import { CopyButton, CopyValue } from '../../components/copy.tsx'
import { useDialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { counted } from '../../platform/numbers.ts'
import { useChange, useSlug } from '../../platform/requests.ts'
import { onDay } from '../../platform/times.ts'
import { configurationQuery, type Domain, dropDomain } from './domain-queries.ts'
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
      {records.length > 0 && (
        <Stack gap="xs">
          <Text fw={600}>
            {records.length === 1 ? 'Delete this DNS record now' : 'Delete these DNS records now'}
          </Text>
          {records.some(({ type }) => type !== 'TXT') && (
            <Text size="sm" c="dimmed">
              Until then, your domain points to a server that no longer serves it.
            </Text>
          )}
          {records.map(({ name, type, value }) => (
            <CopyValue
              key={`${type} ${name} ${value}`}
              value={`${name} ${type} ${value}`}
              what="the record"
            />
          ))}
        </Stack>
      )}
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
