// Behind Details: the record, every diagnostic with its code, the name servers, the certificate and the evidence.
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useHref } from 'react-router'
import { addressOf } from '../../../client/management-client.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Section } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { useSlug } from '../../platform/requests.ts'
import { CertificateView } from './certificate-view.tsx'
import { Diagnostics } from './diagnostics.tsx'
import type { Domain } from './domain-queries.ts'
import { isRecordNext } from './domain-status.ts'
import { NameServers, PropagationProgress } from './propagation.tsx'
import { RecordTable, ZoneLines } from './record-table.tsx'
import { textOfDiagnostics } from './support-text.ts'

export function DomainDetails({ domain }: { domain: Domain }) {
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
            <Text size="sm" c="dimmed">
              Checked <Ago time={check.at} />
            </Text>
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
