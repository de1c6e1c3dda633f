// A DNS record to create: as fields with copy buttons and as a line of a zone file, or with one click at the DNS provider,
// with what that adds and deletes and how the last attempt ended. Nothing of it is shown where the provider does not take
// part. And the frame of a next step.
import { Alert, Anchor, Group, Paper, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../../../client/management-client.ts'
import { ActionButton } from '../../components/actions.tsx'
import { CopyBlock, CopyValue } from '../../components/copy.tsx'
import { ExternalIcon } from '../../components/icons.tsx'
import { Section } from '../../components/page.tsx'
import { Disclosure, Note } from '../../components/values.tsx'
import { useChange, useGet } from '../../platform/requests.ts'
import { openProvider } from '../../platform/session.ts'
import { canPrepare, type Domain } from './domain-queries.ts'

export function RecordTable({
  record: { name, ttlSeconds, type, value },
}: {
  /** Its name is relative to the zone, as DNS providers expect it. */
  record: Pick<Domain['record'], 'name' | 'value' | 'ttlSeconds'> & { type: string }
}) {
  const fields = [
    ['Type', type, 'the type'],
    ['Name', name, 'the name'],
    ['Value', value, 'the value'],
    ['TTL', String(ttlSeconds), 'the TTL'],
  ] as const
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {fields.map(([title, text, what]) => (
            <Table.Tr key={title}>
              <Table.Th w={90}>{title}</Table.Th>
              <Table.Td>
                <CopyValue value={text} what={what} />
                {title === 'Type' && type === 'ALIAS' && (
                  <Note>Called ANAME by some providers</Note>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

export function ZoneLines({ lines }: { lines: string[] }) {
  if (lines.length === 0) return null
  return (
    <Disclosure label="Show as zone file" openLabel="Hide the zone file" my="xs">
      <CopyBlock text={lines.join('\n')} what="the zone file" />
    </Disclosure>
  )
}

export function Step({ children, title }: { title: string; children: ReactNode }) {
  return (
    <Paper
      withBorder
      p="1rem 1.1rem 1.1rem"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <Section level={4} title={title}>
        <Stack gap="sm">{children}</Stack>
      </Section>
    </Paper>
  )
}

type Connect = Answer<'GET /projects/{slug}/domains/{host}/connect'>
type Offered = Connect & { provider: NonNullable<Connect['provider']> }

const openEveryMs = 15_000

const isOffered = (connect: Connect): connect is Offered =>
  connect.status === 'offered' && connect.provider !== null

export function ConnectStep({ domain }: { domain: Domain }) {
  const { host, record } = domain
  // The records of an apex are created by hand.
  const isPossible = record.type === 'CNAME'
  const { data: connect } = useGet('GET /projects/{slug}/domains/{host}/connect', {
    params: { host },
    enabled: isPossible,
    retry: false,
    // The provider may not send the browser back.
    refetchInterval: ({ state }) => (state.data?.open ? openEveryMs : false),
  })
  if (!isPossible || !connect) return null
  return (
    <>
      {connect.open ? (
        <Notice isNeutral={!connect.open.isLate}>{connect.open.message}</Notice>
      ) : (
        // That of other records is over where these are offered.
        connect.lastReturn &&
        !(connect.lastReturn.isSet && isOffered(connect)) && (
          <Notice isNeutral={connect.lastReturn.outcome === 'done'}>
            {connect.lastReturn.message}
          </Notice>
        )
      )}
      {isOffered(connect) ? (
        <Offer connect={connect} domain={domain} />
      ) : (
        connect.message && (
          <Note>
            {connect.message}
            {connect.provider?.controlPanel && (
              <>
                {' '}
                <Anchor
                  href={connect.provider.controlPanel}
                  target="_blank"
                  rel="noreferrer"
                  size="sm"
                >
                  Open {connect.provider.name}
                </Anchor>
              </>
            )}
          </Note>
        )
      )}
    </>
  )
}

function Notice({ children, isNeutral }: { children: string; isNeutral: boolean }) {
  return (
    // The colours of a neutral notice are those of what surrounds it.
    <Alert
      color={isNeutral ? 'gray' : 'yellow'}
      bd={`1px solid ${isNeutral ? 'var(--line)' : 'transparent'}`}
      role="status"
    >
      {children}
    </Alert>
  )
}

function Offer({ connect, domain }: { connect: Offered; domain: Domain }) {
  const { host } = domain
  const { deletes, provider } = connect
  const start = useChange('POST /projects/{slug}/domains/{host}/connect', [])

  return (
    <Stack gap="sm">
      <Group gap="sm">
        <ActionButton
          size="sm"
          // The certificate comes first where visitors would see errors.
          variant={canPrepare(domain) ? 'default' : 'filled'}
          rightSection={<ExternalIcon size={14} />}
          // The button stays busy until the page is gone.
          act={async () => openProvider((await start.mutateAsync({ params: { host } })).url)}
        >
          Connect with {provider.name}
        </ActionButton>
        <Note>You confirm the change at {provider.site}.</Note>
      </Group>
      {deletes.length > 0 && <Conflicts connect={connect} host={host} />}
      <Note>or create the record yourself:</Note>
    </Stack>
  )
}

function Conflicts({ connect: { deletes, provider }, host }: { connect: Offered; host: string }) {
  const hasMail = deletes.some(({ type }) => type === 'MX')
  return (
    <Alert
      color={hasMail ? 'red' : 'yellow'}
      title={`${provider.name} deletes these conflicting records`}
    >
      <Text component="ul" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {deletes.map(({ name, type, value }) => (
          <li key={`${name} ${type} ${value}`}>
            {type} {value}
          </li>
        ))}
      </Text>
      {hasMail && (
        <Text size="sm" mt="xs" fw={600}>
          Mail to addresses at {host} will no longer be delivered.
        </Text>
      )}
    </Alert>
  )
}
