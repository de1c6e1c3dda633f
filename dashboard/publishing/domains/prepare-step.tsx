// The first step of a move: the TXT records by which the certificate is issued while the old site keeps serving.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { ActionButton } from '../../components/action-buttons.tsx'
import { counted } from '../../platform/numbers.ts'
import { exactly } from '../../platform/times.ts'
import { Blocked, CertificateProgress, Problem } from './certificate-view.tsx'
import { ConnectStep } from './connect-step.tsx'
import { DiagnosticBody } from './diagnostics.tsx'
import { type Domain, usePrepare } from './domain-queries.ts'
import { Step } from './next-step-frame.tsx'
import { RecordTable, ZoneLines } from './record-table.tsx'

type Requested = Domain['records'][number]

const isOfOwnership = ({ purpose }: Requested): boolean => purpose === 'ownership'

export function PrepareStep({ domain }: { domain: Domain }) {
  const { badge, certificate, check, host, records } = domain
  const wanted = records.filter(({ purpose, state }) => purpose !== 'site' && state !== 'obsolete')
  const [first] = check?.diagnostics ?? []
  const isAwaited = wanted.some(({ purpose }) => purpose === 'challenge')
  const isFound = wanted.length > 0 && wanted.every(({ state }) => state === 'found')
  const isOne = wanted.length === 1
  return (
    <Stack gap="sm">
      {first?.severity === 'blocks' ? (
        <Step title={first.title}>
          <DiagnosticBody diagnostic={first} />
        </Step>
      ) : (
        badge !== 'prepare_certificate' && (
          <Step title="The certificate could not be issued">
            {certificate.problem && <Problem problem={certificate.problem} />}
            <Blocked certificate={certificate} />
          </Step>
        )
      )}
      <Step
        title={
          isFound
            ? `${counted(wanted.length, 'TXT record')} found`
            : `Create ${isOne ? 'this TXT record' : 'these TXT records'}`
        }
      >
        <Text size="sm">
          {isFound
            ? 'Waiting for the next check of the certificate authority. You don’t need to do anything.'
            : `${isOne ? 'It does' : 'They do'} not affect visitors: ${host} keeps showing the old site. Do not change its other records yet.`}
        </Text>
        {wanted.some(({ purpose, state }) => purpose === 'ownership' && state === 'required') && (
          <ConnectStep domain={domain} />
        )}
        {wanted.filter(isOfOwnership).map((record) => (
          <TxtRecord key={record.purpose} record={record} />
        ))}
        {wanted
          .filter((record) => !isOfOwnership(record))
          .map((record) => (
            <TxtRecord key={record.purpose} record={record} />
          ))}
        {!isAwaited && (
          <Text size="sm" c="dimmed">
            Once ownership is proven, a second TXT record for the certificate authority appears
            here.
          </Text>
        )}
        {certificate.steps.length > 0 && <CertificateProgress certificate={certificate} />}
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            The records are checked again automatically.
          </Text>
          <CancelPreparation host={host} />
        </Group>
      </Step>
    </Stack>
  )
}

const purposes = {
  ownership: 'Proves that you own the domain',
  challenge: 'Lets the certificate authority issue the certificate',
  site: 'Points to us',
} as const

function TxtRecord({ record }: { record: Requested }) {
  const { purpose, replaces, servers, setBy, state, zoneLine } = record
  const isFound = state === 'found'
  const count = servers && `${servers.updated} of ${servers.responding} name servers`
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {purposes[purpose]}
        </Text>
        <Badge color={isFound ? 'leaf' : 'gray'} variant="light">
          {isFound ? 'Found' : (count ?? 'Not found yet')}
        </Badge>
      </Group>
      {!isFound && <RecordTable record={record} />}
      {replaces && (
        <Text size="sm">
          It replaces <s>{replaces.value}</s>, which is no longer valid.
        </Text>
      )}
      {setBy !== null && !isFound && (
        <Text size="sm" c="dimmed">
          Set it by {exactly(setBy)}. Later, another value is needed.
        </Text>
      )}
      {!isFound && <ZoneLines lines={[zoneLine]} />}
    </Stack>
  )
}

function CancelPreparation({ host }: { host: string }) {
  const prepare = usePrepare(host)
  return (
    <ActionButton
      variant="subtle"
      color="gray"
      label={`Cancel preparation of ${host}`}
      act={() => prepare(false)}
      done={`The certificate of ${host} is issued after DNS points to us.`}
    >
      Cancel preparation
    </ActionButton>
  )
}

/** Offered where the domain leads to another site now. */
export function PrepareOffer({ domain: { host } }: { domain: Domain }) {
  const prepare = usePrepare(host)
  return (
    <Group justify="space-between" gap="sm" align="center">
      <Text size="sm" flex="1 1 16rem">
        If a site is live at {host} now, prepare the certificate first: then no visitor sees an
        error during the switch.
      </Text>
      <ActionButton
        h={36}
        variant="filled"
        label={`Prepare certificate for ${host}`}
        act={() => prepare(true)}
        done={`${host}: the old site keeps serving while the certificate is prepared.`}
      >
        Prepare certificate
      </ActionButton>
    </Group>
  )
}
