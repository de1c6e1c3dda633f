// What an open card shows: the progress of a domain; what the owner does next with it, and nothing else, or what happens
// automatically, or that it is live; and everything else behind Details.
import {
  Alert,
  Anchor,
  Box,
  Button,
  Group,
  SimpleGrid,
  Stack,
  Text,
  ThemeIcon,
  VisuallyHidden,
} from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useHref } from 'react-router'
import { addressOf } from '../../../client/management-client.ts'
import { Copy, CopyButton } from '../../components/copy.tsx'
import { CheckIcon, ExternalIcon } from '../../components/icons.tsx'
import { Section } from '../../components/page.tsx'
import { Ago, Disclosure, Note } from '../../components/values.tsx'
import { exactly, onDay } from '../../platform/formats.ts'
import { useSlug } from '../../platform/requests.ts'
import { DiagnosticBody, Diagnostics, textOfDiagnostics } from './diagnostics.tsx'
import { canPrepare, type Domain, isMoving, isRecordNext, useDomain } from './domain-queries.ts'
import classes from './domains.module.css'
import {
  Blocked,
  CertificateProgress,
  CertificateView,
  NameServers,
  Problem,
  PropagationProgress,
  StateMark,
  stateTitles,
} from './progress.tsx'
import { ConnectStep, RecordTable, Step, ZoneLines } from './record.tsx'
import { MovedStep, PrepareOffer, PrepareStep, ReadyStep, SwitchingStep } from './switch-step.tsx'

/** The steps of a domain until it is live. They move with the live state. */
function DomainProgress({ domain }: { domain: Domain }) {
  const { steps } = domain.status
  return (
    <SimpleGrid component="ol" cols={4} spacing={0} aria-label="Progress">
      {steps.map(({ note, state, title }, i) => (
        <li
          key={title}
          className={classes.step}
          data-state={state}
          data-reached={steps[i - 1]?.state === 'done'}
        >
          <StateMark state={state} size={28}>
            {state === 'action' && <b>{i + 1}</b>}
          </StateMark>
          <Text size="sm" fw={600} lh={1.3} mt="0.3rem">
            {title}
          </Text>
          <Text size="xs" lh={1.3} mih="1.2em" c="dimmed">
            <VisuallyHidden>{stateTitles[state]}: </VisuallyHidden>
            {note}
          </Text>
        </li>
      ))}
    </SimpleGrid>
  )
}

export function OpenedDomain({ domain: listed }: { domain: Domain }) {
  // Lists leave out the rate limits of the certificate authority.
  const { data: domain = listed } = useDomain(listed.host)
  return (
    <Stack gap="lg">
      <DomainProgress domain={domain} />
      <NextStep domain={domain} />
      <Disclosure label="Details" openLabel="Hide details" gap="lg">
        <DomainDetails domain={domain} />
      </Disclosure>
    </Stack>
  )
}

/** Behind Details: the record, every diagnostic with its code, the name servers, the certificate and the evidence. */
function DomainDetails({ domain }: { domain: Domain }) {
  const { badge, certificate, check, host, record } = domain
  const params = { slug: useSlug(), host }
  const link = `${location.origin}${useHref({ search: `?domain=${encodeURIComponent(host)}` })}`
  return (
    <Stack gap="lg">
      {check && check.diagnostics.length > 0 && (
        <Section
          level={4}
          title="Diagnostics"
          actions={
            <Note>
              Checked <Ago time={check.at} />
            </Note>
          }
        >
          <Stack gap="sm">
            <Diagnostics diagnostics={check.diagnostics} />
            <Group gap="xs">
              <CopyButton text={textOfDiagnostics(domain, link)}>Copy as text</CopyButton>
              <CopyButton text={link}>Copy link</CopyButton>
            </Group>
          </Stack>
        </Section>
      )}
      {check && check.propagation.servers.length > 0 && (
        <Section level={4} title="Name servers">
          <Stack gap="sm">
            {badge !== 'propagating' && <PropagationProgress propagation={check.propagation} />}
            <NameServers propagation={check.propagation} />
          </Stack>
        </Section>
      )}
      <Section level={4} title="Certificate">
        <CertificateView certificate={certificate} />
      </Section>
      {!isRecordNext(domain) && (
        <Section level={4} title="DNS record">
          <RecordTable record={record} />
          <ZoneLines lines={[record.zoneLine]} />
        </Section>
      )}
      {check && (
        <Section level={4} title="Evidence">
          <Text size="sm">
            <Anchor
              href={addressOf('GET /projects/{slug}/domains/{host}/evidence', { params })}
              download={`evidence-${host}.json`}
            >
              Download the evidence
            </Anchor>
            : every query and response of the last check, for the support of your DNS provider.
          </Text>
        </Section>
      )}
    </Stack>
  )
}

function NextStep({ domain }: { domain: Domain }) {
  const { badge, check, preparation, status } = domain
  const isNew = useBecame(badge === 'active')
  const [first] = check?.diagnostics ?? []
  if (badge === 'active') {
    return (
      <Stack gap="sm">
        <Live domain={domain} isNew={isNew} />
        {preparation.state === 'switched' && <MovedStep domain={domain} />}
        {first?.severity === 'warns' && (
          <Step title={first.title}>
            <DiagnosticBody diagnostic={first} />
          </Step>
        )}
      </Stack>
    )
  }
  if (badge === 'ready_to_switch') return <ReadyStep domain={domain} />
  if (badge === 'switching') return <SwitchingStep domain={domain} />
  const isFailing = badge === 'needs_attention' || badge === 'retrying'
  if (badge === 'prepare_certificate' || (isMoving(domain) && isFailing)) {
    return <PrepareStep domain={domain} />
  }
  return <Step title={status.next}>{stepOf(domain)}</Step>
}

/** Of a domain that does not move here from another site. */
function stepOf(domain: Domain): ReactNode {
  const { badge, certificate, check, record, verification } = domain
  const [first] = check?.diagnostics ?? []
  if (badge === 'add_dns_record') return <Pointer domain={domain} />
  if (badge === 'prove_ownership') {
    return (
      <>
        <Text size="sm">
          {verification.reason} A TXT record that only you can create proves that you own it.
        </Text>
        <ConnectStep domain={domain} />
        <RecordTable record={{ ...verification, type: 'TXT', ttlSeconds: record.ttlSeconds }} />
      </>
    )
  }
  if (badge === 'propagating') {
    return (
      <>
        {check && <PropagationProgress propagation={check.propagation} />}
        {nothingToDo}
      </>
    )
  }
  if (badge === 'suspended') {
    return (
      <Text size="sm">
        An operator sets the plan of your account. The domain is served again immediately, with the
        same certificate and configuration.
      </Text>
    )
  }
  if (badge === 'paused') {
    return (
      <>
        <Text size="sm">
          Its DNS record was not found in 30 days, so the checks have stopped. Create the record,
          then choose Resume.
        </Text>
        <RecordTable record={record} />
      </>
    )
  }
  if (first && (first.severity === 'blocks' || badge === 'fix_dns')) {
    return (
      <>
        {canPrepare(domain) && <PrepareOffer domain={domain} />}
        <DiagnosticBody diagnostic={first} />
        {isRecordNext(domain) && (
          <>
            <ConnectStep domain={domain} />
            <RecordTable record={record} />
            <PropagationNote domain={domain} />
          </>
        )}
      </>
    )
  }
  const isStuck = badge === 'needs_attention' || badge === 'at_risk' || badge === 'retrying'
  return (
    <>
      <CertificateProgress certificate={certificate} />
      {isStuck && certificate.problem && <Problem problem={certificate.problem} />}
      <Blocked certificate={certificate} />
      {certificate.nextTryAt === null && !isStuck && nothingToDo}
    </>
  )
}

const nothingToDo = <Note>You don't need to do anything. This page is updated automatically.</Note>

/** The record that points to us. */
function Pointer({ domain }: { domain: Domain }) {
  const { check, record } = domain
  return (
    <>
      {record.value.endsWith('.localhost') && (
        <Alert color="yellow" title="Nobody else can reach this address">
          {record.value} is a name of this machine only. Before you create the record, the operator
          sets PLATFORM_HOST to a public name.
        </Alert>
      )}
      {check?.provider && (
        <Text size="sm">
          {check.zone} is hosted at {check.provider.name}
          {record.type === 'ALIAS' &&
            (check.provider.hasAlias
              ? ', which supports ALIAS or ANAME'
              : ', which does not support ALIAS or ANAME: use www with a redirect, or move the DNS')}
          .
        </Text>
      )}
      <ConnectStep domain={domain} />
      <RecordTable record={record} />
      {record.type === 'ALIAS' && !check?.provider && (
        <Text size="sm">
          Not every DNS provider supports ALIAS or ANAME. If yours does not, redirect the apex to
          www there.
        </Text>
      )}
      <ZoneLines lines={[record.zoneLine]} />
      <PropagationNote domain={domain} />
    </>
  )
}

function PropagationNote({ domain: { verification } }: { domain: Domain }) {
  return (
    <Note>
      DNS propagation can take up to 48 hours, but usually resolves within minutes. The record is
      checked again automatically.
      {verification.requiredFrom !== null &&
        ` It proves that you own the domain if it appears by ${exactly(verification.requiredFrom)}. Later, a TXT record is required as well.`}
    </Note>
  )
}

/** `isNew`: it became active while it was shown. */
function Live({ domain, isNew }: { domain: Domain; isNew: boolean }) {
  const { certificate, redirect, unicodeHost } = domain
  const address = `https://${domain.host}`
  return (
    <Group
      gap="0.75rem 1rem"
      p="1rem 1.1rem"
      bdrs="md"
      bg="light-dark(#eef6f0, #1b2a22)"
      className={classes.live ?? ''}
      data-fresh={isNew}
      role="status"
    >
      <ThemeIcon component="span" size={40} radius={20} className={classes.seal ?? ''} aria-hidden>
        <CheckIcon size={22} />
      </ThemeIcon>
      <Box flex="1 1 14rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text fw={600}>{unicodeHost} is live</Text>
        <Note>
          {redirect ? `It redirects to ${redirect.to}. ` : ''}
          {certificate.renewAt === null
            ? 'You don’t need to install or renew anything.'
            : `Renews automatically on ${onDay(certificate.renewAt)}.`}
        </Note>
      </Box>
      <Button
        component="a"
        href={`${address}/`}
        target="_blank"
        rel="noreferrer"
        size="compact-sm"
        h={30}
        rightSection={<ExternalIcon size={14} />}
      >
        Open
      </Button>
      <Copy value={address} what="the address" />
    </Group>
  )
}

/** Whether the value has changed to true since the first render. */
function useBecame(value: boolean): boolean {
  const first = useRef(value)
  if (!value) first.current = false
  return value && !first.current
}
