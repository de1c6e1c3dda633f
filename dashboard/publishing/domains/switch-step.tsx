// The steps of a move from another site. First the TXT records by which the certificate is issued while the old site
// keeps serving; then what was verified, the record to change and the site before the switch; then the switch itself, and
// what is left to do after it.

import { Badge, Box, Group, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core'
import { ActionButton } from '../../components/actions.tsx'
import { CopyBlock } from '../../components/copy.tsx'
import { RefreshIcon, WarningIcon } from '../../components/icons.tsx'
import { Loaded } from '../../components/page.tsx'
import { Disclosure, Note, useNow } from '../../components/values.tsx'
import { counted, exactly } from '../../platform/formats.ts'
import { DiagnosticBody } from './diagnostics.tsx'
import { type Domain, type DomainSwitch, useDomainChanges, useSwitch } from './domain-queries.ts'
import {
  Blocked,
  CertificateProgress,
  Problem,
  PropagationProgress,
  StateMark,
} from './progress.tsx'
import { ConnectStep, RecordTable, Step, ZoneLines } from './record.tsx'

/** Before the switch: what was verified, the record to change, and the site as it will be. */
export function ReadyStep({ domain }: { domain: Domain }) {
  return (
    <Loaded query={useSwitch(domain.host)}>
      {({ bestFrom, change, host, items, preview, ready }) => (
        <Stack gap="sm">
          <Step title={ready ? 'Everything is ready' : 'Before the switch'}>
            <Checklist items={items} />
            <Preview preview={preview} host={host} />
          </Step>
          <Step title="Change this DNS record">
            {!ready && (
              <Text size="sm" fw={600}>
                Wait until the checks above have passed.
              </Text>
            )}
            <BestTime time={bestFrom} />
            {ready && <ConnectStep domain={domain} />}
            <Change change={change} />
            <Note>
              Change it in one step, so that the name is never without a record. Keep the old site
              running: visitors whose DNS is cached still see it.
            </Note>
          </Step>
        </Stack>
      )}
    </Loaded>
  )
}

const looks = {
  passed: { mark: 'done', title: 'Passed' },
  advice: { mark: 'action', title: 'Advice', icon: <WarningIcon size={15} /> },
  waiting: { mark: 'waiting', title: 'Pending', icon: <RefreshIcon size={15} /> },
  failed: { mark: 'failed', title: 'Failed' },
} as const

function Checklist({ items }: Pick<DomainSwitch, 'items'>) {
  return (
    <SimpleGrid component="ul" cols={{ base: 1, md: 2 }} spacing="0.6rem" aria-label="Checklist">
      {items.map(({ code, detail, fix, state, title, until }) => {
        const { mark, title: word, ...look } = looks[state]
        return (
          <Group
            component="li"
            key={code}
            wrap="nowrap"
            align="flex-start"
            gap="0.65rem"
            // What needs reading has the whole width.
            style={state === 'passed' ? {} : { gridColumn: '1 / -1' }}
          >
            <StateMark state={mark} size={22}>
              {'icon' in look && look.icon}
            </StateMark>
            <Box miw={0} style={{ overflowWrap: 'anywhere' }}>
              <Text size="sm" fw={600}>
                <VisuallyHidden>{word}: </VisuallyHidden>
                {title}
              </Text>
              {state !== 'passed' && <Note>{detail}</Note>}
              {until !== null && <Note>Until {exactly(until)}</Note>}
              {fix !== null && <Text size="sm">{fix}</Text>}
            </Box>
          </Group>
        )
      })}
    </SimpleGrid>
  )
}

function Preview({ host, preview }: { host: string } & Pick<DomainSwitch, 'preview'>) {
  const { command, hostsLine } = preview
  return (
    <Disclosure
      label="See the site before the switch"
      openLabel="Hide how to see the site before the switch"
      my={0}
    >
      <Stack gap={6}>
        <Text size="sm">With curl, at any computer:</Text>
        <CopyBlock text={command} what="the command" />
        {hostsLine !== null && (
          <>
            <Text size="sm">
              In a browser: add this line to the hosts file of your computer, open https://{host}/,
              and remove the line afterwards.
            </Text>
            <CopyBlock text={hostsLine} what="the line" />
          </>
        )}
      </Stack>
    </Disclosure>
  )
}

function BestTime({ time }: { time: string | null }) {
  const now = useNow()
  if (time === null || new Date(time).getTime() <= now) return null
  return (
    <Text size="sm">
      The switch is fastest from {exactly(time)} on, when caches have forgotten the longer TTL.
    </Text>
  )
}

function Change({ change: { from, to } }: Pick<DomainSwitch, 'change'>) {
  return (
    <Stack gap="0.75rem">
      {from.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            From
          </Text>
          {from.map(({ ttlSeconds, type, value }) => (
            <Text
              key={`${type} ${value}`}
              size="sm"
              ff="monospace"
              style={{ overflowWrap: 'anywhere' }}
            >
              {type} {value}, TTL {ttlSeconds}
            </Text>
          ))}
        </div>
      )}
      <div>
        <Text size="sm" fw={600} mb={4}>
          To
        </Text>
        <RecordTable record={to} />
      </div>
    </Stack>
  )
}

/** During the switch: how many name servers have the new record. */
export function SwitchingStep({ domain }: { domain: Domain }) {
  const { check } = domain
  const { data } = useSwitch(domain.host)
  return (
    <Step title="Waiting for your name servers">
      {check && <PropagationProgress propagation={check.propagation} />}
      <Note>
        You don't need to do anything. Visitors reach the old or the new site, both over HTTPS.
        {data?.keepOldSiteUntil &&
          ` Keep the old site running until ${exactly(data.keepOldSiteUntil)}.`}
      </Note>
    </Step>
  )
}

/** What is left to do once the domain is live here. */
export function MovedStep({ domain }: { domain: Domain }) {
  const { data } = useSwitch(domain.host)
  const now = useNow()
  if (!data) return null
  const { cachedUntil, keepOldSiteUntil, removable } = data
  const isKept = keepOldSiteUntil !== null && new Date(keepOldSiteUntil).getTime() > now
  if (!isKept && removable.length === 0) return null
  return (
    <Step title="Moved">
      <Stack component="ul" gap="0.35rem" pl="1.1rem" fz="sm" style={{ listStyle: 'disc' }}>
        {isKept && (
          <li>
            Keep the old site running until {exactly(keepOldSiteUntil)}
            {cachedUntil !== null &&
              `; some caches keep the old record until ${exactly(cachedUntil)}`}
            .
          </li>
        )}
        {removable.map(({ host, name }) => (
          <li key={host}>
            The TXT record <code>{name}</code> can be deleted.
          </li>
        ))}
        <li>
          Once all is well, raise the TTL of the record to {domain.record.ttlSeconds} seconds.
        </li>
        <li>The certificate renews automatically over HTTP. No TXT record is needed for that.</li>
      </Stack>
    </Step>
  )
}

type Requested = Domain['records'][number]

/** The TXT records by which the certificate is issued while the old site keeps serving. */
export function PrepareStep({ domain }: { domain: Domain }) {
  const { badge, certificate, check, host, records } = domain
  const { prepare } = useDomainChanges(host)
  const newRecords = records.filter(
    ({ purpose, state }) => purpose !== 'site' && state !== 'obsolete',
  )
  const [first] = check?.diagnostics ?? []
  const isAwaited = newRecords.some(({ purpose }) => purpose === 'challenge')
  const isFound = newRecords.length > 0 && newRecords.every(({ state }) => state === 'found')
  const isOne = newRecords.length === 1
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
            ? `${counted(newRecords.length, 'TXT record')} found`
            : `Create ${isOne ? 'this TXT record' : 'these TXT records'}`
        }
      >
        <Text size="sm">
          {isFound
            ? 'Waiting for the next check of the certificate authority. You don’t need to do anything.'
            : `${isOne ? 'It does' : 'They do'} not affect visitors: ${host} keeps showing the old site. Do not change its other records yet.`}
        </Text>
        {newRecords.some(
          ({ purpose, state }) => purpose === 'ownership' && state === 'required',
        ) && <ConnectStep domain={domain} />}
        {newRecords.map((record) => (
          <TxtRecord key={record.purpose} record={record} />
        ))}
        {!isAwaited && (
          <Note>
            Once ownership is proven, a second TXT record for the certificate authority appears
            here.
          </Note>
        )}
        {certificate.steps.length > 0 && <CertificateProgress certificate={certificate} />}
        <Group justify="space-between" gap="xs">
          <Note>The records are checked again automatically.</Note>
          <ActionButton
            variant="subtle"
            color="gray"
            label={`Cancel preparation of ${host}`}
            act={() => prepare(false)}
            done={`The certificate of ${host} is issued after DNS points to us.`}
          >
            Cancel preparation
          </ActionButton>
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
        <Note>Set it by {exactly(setBy)}. Later, another value is needed.</Note>
      )}
      {!isFound && <ZoneLines lines={[zoneLine]} />}
    </Stack>
  )
}

/** Offered where the domain leads to another site now. */
export function PrepareOffer({ domain: { host } }: { domain: Domain }) {
  const { prepare } = useDomainChanges(host)
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
