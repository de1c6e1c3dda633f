// What else an owner does with a domain: its role, and its removal.

import { Alert, Group, Stack, Text } from '@mantine/core'
import { CloseDialog, openDialog, RowMenu } from '../../components/actions.tsx'
import { CopyButton, CopyValue } from '../../components/copy.tsx'
import { Note } from '../../components/values.tsx'
import { attempt } from '../../platform/announcements.ts'
import { counted, onDay } from '../../platform/formats.ts'
import { RedirectForm, withoutRedirect, withPrimary } from './configuration.tsx'
import { textOfRemoval } from './diagnostics.tsx'
import {
  type Configuration,
  type Domain,
  isMoving,
  type Removal,
  useConfiguration,
  useConfigure,
  useDomainChanges,
} from './domain-queries.ts'

export function DomainMenu({ domain }: { domain: Domain }) {
  const { host, role } = domain
  const { data: configuration } = useConfiguration()
  const put = useConfigure()
  const { prepare, remove } = useDomainChanges(host)
  const isPrepared = isMoving(domain)

  async function removeDomain(): Promise<void> {
    const removed = await remove()
    const at = new Date().toISOString()
    openDialog({
      title: `${host} is removed`,
      size: 'lg',
      content: <Removed removed={removed} at={at} />,
    })
  }

  function change(changed: (current: Configuration) => Configuration, done: string): void {
    if (!configuration) return
    attempt(put(changed(configuration)), done, () => put(configuration))
  }

  return (
    <RowMenu
      label={`Menu of ${host}`}
      actions={[
        {
          item: 'Make primary',
          isDisabled: role === 'primary' || !configuration,
          act: () =>
            change((current) => withPrimary(current, host), `${host} is now the primary domain.`),
        },
        role === 'redirect' && {
          item: 'Serve the site',
          isDisabled: !configuration,
          act: () =>
            change((current) => withoutRedirect(current, host), `${host} now serves the site.`),
        },
        { item: 'Redirect', title: `Redirect ${host}`, content: <RedirectForm domain={domain} /> },
        {
          item: isPrepared ? 'Cancel preparation' : 'Prepare certificate',
          isDisabled: domain.dns === 'ok',
          act: () =>
            attempt(
              prepare(!isPrepared),
              `${host}: the certificate is ${isPrepared ? 'no longer prepared' : 'issued before the switch'}.`,
            ),
        },
        {
          title: `Remove ${host}?`,
          text: `It stops serving traffic immediately: new requests are refused, open connections are closed, and its certificate is deleted.${role === 'primary' ? ' The project will have no primary domain.' : ''}`,
          verb: 'Remove',
          act: removeDomain,
        },
      ]}
    />
  )
}

/** Shows that a domain is offline, and which DNS records to delete. */
function Removed({ at, removed }: { removed: Removal; at: string }) {
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
            <Note>Until then, your domain points to a server that no longer serves it.</Note>
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
        <Note>
          The name is reserved for you until {onDay(heldUntil)}: a leftover DNS record does not let
          other accounts claim it.
        </Note>
      )}
      <Group justify="space-between">
        <CopyButton text={textOfRemoval(removed, at)}>Copy for support</CopyButton>
        <CloseDialog variant="filled" data-autofocus>
          Done
        </CloseDialog>
      </Group>
    </Stack>
  )
}
