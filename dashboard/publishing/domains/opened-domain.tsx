// What an open card shows: the progress of a domain, its next step, and everything else behind Details.
import { Anchor, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useHref } from 'react-router'
import { addressOf } from '../../../client/management-client.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Section } from '../../components/page.tsx'
import { Ago, Disclosure, Note } from '../../components/values.tsx'
import { useSlug } from '../../platform/requests.ts'
import { CertificateView, StateMark, stateTitles } from './certificate-view.tsx'
import { Diagnostics, textOfDiagnostics } from './diagnostics.tsx'
import classes from './domain-progress.module.css'
import { type Domain, isRecordNext, useDomain } from './domain-queries.ts'
import { NextStep } from './next-step.tsx'
import { NameServers, PropagationProgress } from './propagation.tsx'
import { RecordTable, ZoneLines } from './record-table.tsx'

/** The steps of a domain until it is live. They move with the live state. */
function DomainProgress({ domain }: { domain: Domain }) {
  const { steps } = domain.status
  return (
    <ol className={classes.steps} aria-label="Progress">
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
    </ol>
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
          size="h6"
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
        <Section level={4} size="h6" title="Name servers">
          <Stack gap="sm">
            {badge !== 'propagating' && <PropagationProgress propagation={check.propagation} />}
            <NameServers propagation={check.propagation} />
          </Stack>
        </Section>
      )}
      <Section level={4} size="h6" title="Certificate">
        <CertificateView certificate={certificate} />
      </Section>
      {!isRecordNext(domain) && (
        <Section level={4} size="h6" title="DNS record">
          <RecordTable record={record} />
          <ZoneLines lines={[record.zoneLine]} />
        </Section>
      )}
      {check && (
        <Section level={4} size="h6" title="Evidence">
          <Text size="sm">
            <Anchor
              href={addressOf('GET /projects/{slug}/domains/{host}/evidence', { params })}
              download={`evidence-${host}.json`}
            >
              Download the evidence
            </Anchor>
            : every query and answer of the last check, for the support of your DNS provider.
          </Text>
        </Section>
      )}
    </Stack>
  )
}
