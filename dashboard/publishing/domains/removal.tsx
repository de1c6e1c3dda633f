// Remove: asked once more, then the proof that nothing is served any more, and the record to delete.
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Domain, RemovedDomain } from '../../../server/publishing/domains/api/schema.ts'
import { CopyValue } from '../../components/copy.tsx'
import { explain } from '../../platform/api.ts'
import { onDay } from '../../platform/times.ts'
import { useRemoveDomain } from './domain-queries.ts'

export interface RemovalProps {
  slug: string
  /** Undefined: nothing is asked. */
  domain: Domain | undefined
  close: () => void
}

export function Removal({ close, domain, slug }: RemovalProps) {
  const remove = useRemoveDomain(slug)
  const [removed, setRemoved] = useState<RemovedDomain>()
  const end = (): void => {
    close()
    setRemoved(undefined)
    remove.reset()
  }
  return (
    <Modal
      opened={domain !== undefined || removed !== undefined}
      onClose={end}
      title={removed ? `${removed.host} is removed` : `Remove ${domain?.host}?`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {removed ? (
        <Removed removed={removed} end={end} />
      ) : (
        <Stack>
          <Text>
            It stops serving traffic at once: new requests, open connections, and its certificate.
            {domain?.role === 'primary' && ' The project has no primary domain then.'}
          </Text>
          {remove.error && (
            <Alert color="red" role="alert">
              {explain(remove.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={end} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red"
              loading={remove.isPending}
              onClick={() => {
                if (domain) remove.mutate(domain.host, { onSuccess: setRemoved })
              }}
            >
              Remove
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function Removed({ end, removed }: { removed: RemovedDomain; end: () => void }) {
  const { endedRedirects, heldUntil, offline, records, wasPrimary } = removed
  return (
    <Stack>
      {offline ? (
        <Alert color="leaf" title={`Not served any more after ${offline.seconds.toFixed(2)} s`}>
          <Text size="sm">
            {offline.nodes.acknowledged} of {offline.nodes.living}{' '}
            {offline.nodes.living === 1 ? 'process has' : 'processes have'} cut what was open
            {offline.connectionsCut > 0 && ` (${offline.connectionsCut} connections)`}.
            {offline.tls === 'refused' && ' A TLS handshake with its name was refused.'}
            {offline.http !== null && ` A request by HTTP was answered with ${offline.http}.`}
          </Text>
        </Alert>
      ) : (
        <Text>It had not been served yet.</Text>
      )}
      {records.length > 0 && (
        <Stack gap="xs">
          <Text fw={600}>Delete this DNS record now</Text>
          <Text size="sm" c="dimmed">
            As long as it is there, your name leads to a server that does not know it.
          </Text>
          {records.map(({ name, type, value }) => (
            <CopyValue
              key={`${type} ${name} ${value}`}
              value={`${name} ${type} ${value}`}
              what="the record"
            />
          ))}
        </Stack>
      )}
      {wasPrimary && <Text size="sm">The project has no primary domain any more.</Text>}
      {endedRedirects.length > 0 && (
        <Text size="sm">
          {endedRedirects.join(', ')} redirected to it and serves the site itself from now on.
        </Text>
      )}
      {heldUntil !== null && (
        <Text size="sm" c="dimmed">
          Until {onDay(heldUntil)} nobody else gets the name by a leftover record alone.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={end} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
