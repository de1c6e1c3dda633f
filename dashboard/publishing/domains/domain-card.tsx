// One domain: its badge and headline, its actions, and its details.
import { Alert, Anchor, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { addressOf } from '../../../client/management-client.ts'
import type { badges as titles } from '../../../server/publishing/domains/state/badge.ts'
import { ActionButton } from '../../components/action-buttons.tsx'
import { useAttempt } from '../../components/announcements.tsx'
import { ExpandableCard } from '../../components/expandable-card.tsx'
import { ExternalIcon } from '../../components/icons.tsx'
import { Section } from '../../components/page.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import type { Tone } from '../../components/state-badge.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Ago } from '../../components/time.tsx'
import { counted } from '../../platform/numbers.ts'
import { useChange, useSlug } from '../../platform/requests.ts'
import { exactly, span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'
import { CertificateView } from './certificate-view.tsx'
import { Diagnostics } from './diagnostics.tsx'
import {
  type Configuration,
  type Domain,
  putDomain,
  useConfiguration,
  useConfigure,
  useDomain,
} from './domain-queries.ts'
import { PropagationClock } from './propagation.tsx'
import { RecordForms, RecordTable } from './record-table.tsx'
import { RedirectForm, withoutRedirect, withPrimary } from './redirect-form.tsx'
import { Removal } from './removal.tsx'

/** Title and tone of each status. The type of the titles is the server's. */
type Badges = { [B in keyof typeof titles]: { title: (typeof titles)[B]; tone: Tone } }

const badges: Badges = {
  add_dns_record: { title: 'Add DNS record', tone: 'action' },
  fix_dns: { title: 'Fix DNS', tone: 'danger' },
  propagating: { title: 'Propagating', tone: 'progress' },
  prove_ownership: { title: 'Prove ownership', tone: 'action' },
  issuing_certificate: { title: 'Issuing certificate', tone: 'progress' },
  needs_attention: { title: 'Needs attention', tone: 'danger' },
  retrying: { title: 'Retrying', tone: 'progress' },
  active: { title: 'Active', tone: 'success' },
  at_risk: { title: 'At risk', tone: 'danger' },
  suspended: { title: 'Suspended', tone: 'neutral' },
  paused: { title: 'Paused', tone: 'neutral' },
}

export function DomainCard({ domain, isOpenAtFirst }: { domain: Domain; isOpenAtFirst: boolean }) {
  const { badge, host, redirect, role, unicodeHost } = domain
  const { title, tone } = badges[badge]
  return (
    <ExpandableCard
      kind="domain"
      id={host}
      isOpenAtFirst={isOpenAtFirst}
      title={unicodeHost}
      level={3}
      tone={tone}
      beside={
        <>
          <StateBadge tone={tone} size="lg">
            {title}
          </StateBadge>
          <Text size="sm" fw={600} c="dimmed">
            {role === 'primary' && 'Primary'}
            {redirect && `${redirect.status} to ${redirect.to}`}
          </Text>
        </>
      }
      actions={
        <>
          <VerifyButton domain={domain} />
          <DomainMenu domain={domain} />
        </>
      }
      details={() => <Details domain={domain} />}
    >
      {unicodeHost !== host && (
        <Text size="sm" c="dimmed">
          {host} in DNS
        </Text>
      )}
      <Headline domain={domain} />
    </ExpandableCard>
  )
}

/** Only the headline is rendered each second, not the whole card. */
function Headline({ domain }: { domain: Domain }) {
  const now = useNow()
  return (
    <Text size="sm" c="dimmed">
      {headlineOf(domain, now)}
    </Text>
  )
}

/** The title of the first finding, or else a sentence about the state. */
function headlineOf({ badge, certificate, check, host }: Domain, now: number): string {
  const [first] = check?.diagnostics ?? []
  if (badge === 'active') {
    const by = certificate.issuer === null ? '' : ` by ${certificate.issuer}`
    return first && first.severity === 'warns'
      ? first.title
      : `Served over HTTPS. The certificate${by} renews automatically.`
  }
  if (badge === 'issuing_certificate' && first?.severity !== 'blocks')
    return 'Verified. The certificate is being issued, usually within a few minutes.'
  if (badge === 'suspended')
    return 'The plan no longer includes custom domains. The name stays reserved for you.'
  if (badge === 'paused') return 'Not verified for 30 days. Choose Resume to check it again.'
  if (badge === 'retrying' && certificate.nextTryAt !== null) {
    const when = new Date(certificate.nextTryAt).getTime() - now
    const next = when > 0 ? `Retrying in ${span(when)}` : 'Retrying now'
    return `The certificate could not be issued. ${next}.`
  }
  return first?.title ?? `${badges[badge].title}: ${host} has not been checked yet.`
}

function useVerify({ checkedAt, host, ownership, badge }: Domain) {
  const slug = useSlug()
  const client = useQueryClient()
  const verify = useChange('POST /projects/{slug}/domains/{host}/verify')
  return {
    verb: badge === 'paused' ? 'Resume' : ownership === 'proven' ? 'Re-verify' : 'Verify',
    act: async () => {
      const domain = await verify.mutateAsync({ params: { host } })
      putDomain(client, slug, domain)
      return domain
    },
    /** The result, or why there is no new one. */
    done: (after: Domain): string =>
      after.checkedAt === checkedAt && checkedAt !== null
        ? `${host} was checked a moment ago. You can verify it again in ${counted(secondsUntil(after.nextVerifyAt), 'second')}.`
        : `${host} was checked. ${headlineOf(after, Date.now())}`,
  }
}

/** At most ten, as the server has it: the clocks may differ. */
function secondsUntil(time: string | null): number {
  const seconds = Math.ceil((Date.parse(time ?? '') - Date.now()) / 1000)
  return Math.min(10, Math.max(1, seconds || 1))
}

function VerifyButton({ domain }: { domain: Domain }) {
  const { act, done, verb } = useVerify(domain)
  const { badge, host } = domain
  // A check would not change these: see the menu, and the headline.
  if (badge === 'active' || badge === 'suspended') return null
  return (
    <ActionButton
      h={30}
      variant={badges[badge].tone === 'progress' ? 'default' : 'filled'}
      label={`${verb} ${host}`}
      act={act}
      done={done}
    >
      {verb}
    </ActionButton>
  )
}

function DomainMenu({ domain }: { domain: Domain }) {
  const { badge, host, role } = domain
  const { act, done, verb } = useVerify(domain)
  const { data: configuration } = useConfiguration()
  const { put } = useConfigure()
  const attempt = useAttempt()
  const params = { slug: useSlug(), host }

  function change(changed: (known: Configuration) => Configuration, done: string): void {
    if (!configuration) return
    attempt(
      put(changed(configuration)),
      () => done,
      () => put(configuration),
    )
  }

  return (
    <RowMenu
      label={`Menu of ${host}`}
      actions={[
        {
          item: 'Make primary',
          isDisabled: role === 'primary' || !configuration,
          act: () =>
            change((known) => withPrimary(known, host), `${host} is now the primary domain.`),
        },
        role === 'redirect' && {
          item: 'Serve the site',
          isDisabled: !configuration,
          act: () =>
            change((known) => withoutRedirect(known, host), `${host} now serves the site.`),
        },
        {
          item: 'Redirect',
          title: `Redirect ${host}`,
          content: (close) => <RedirectForm domain={domain} close={close} />,
        },
        'divider',
        badge === 'active' && { item: verb, act: () => attempt(act(), done) },
        {
          item: 'Evidence',
          href: addressOf('GET /projects/{slug}/domains/{host}/evidence', { params }),
          download: `evidence-${host}.json`,
        },
        'divider',
        {
          item: 'Remove',
          isDestructive: true,
          title: `Remove ${host}?`,
          size: 'lg',
          content: (close) => <Removal domain={domain} close={close} />,
        },
      ]}
    />
  )
}

function Details({ domain: listed }: { domain: Domain }) {
  // Lists leave out the rate limits of the certificate authority.
  const { data: domain = listed } = useDomain(listed.host)
  const { check, dns, host, ownership, verification, record, serving } = domain
  const isResolved = dns === 'ok'
  return (
    <Stack gap="lg">
      {serving === 'https' && (
        <Anchor href={`https://${host}/`} target="_blank" rel="noreferrer" w="fit-content">
          <Group gap={6} component="span">
            https://{host} <ExternalIcon size={15} />
          </Group>
        </Anchor>
      )}
      {!isResolved && (
        <Section level={4} size="h6" title="Create this DNS record">
          {record.value.endsWith('.localhost') && (
            <Alert color="yellow" mb="xs" title="Nobody else can reach this address">
              {record.value} is a name of this machine only. Before you create the record, the
              operator sets PLATFORM_HOST to a public name.
            </Alert>
          )}
          <RecordTable record={record} />
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
          {record.type === 'ALIAS' && !check?.provider && (
            <Text size="sm">
              Not every DNS provider supports ALIAS or ANAME. If yours does not, add www and
              redirect this domain to it.
            </Text>
          )}
          <RecordForms forms={record.forms} />
          <Text size="sm" c="dimmed">
            DNS propagation can take up to 48 hours, but usually resolves within minutes. The record
            is checked again automatically.
          </Text>
          {verification.requiredFrom !== null && (
            <Text size="sm" c="dimmed">
              It proves that you own the domain if it appears by{' '}
              {exactly(verification.requiredFrom)}. Later, a TXT record is required as well.
            </Text>
          )}
        </Section>
      )}
      {verification.isRequired && ownership !== 'proven' && (
        <Section level={4} size="h6" title="Prove that you own the domain">
          <Text size="sm">
            {verification.reason} A TXT record that only you can create proves that you own it.
          </Text>
          <RecordTable record={{ ...verification, type: 'TXT', ttlSeconds: 3600 }} />
        </Section>
      )}
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
          <Diagnostics diagnostics={check.diagnostics} />
        </Section>
      )}
      {check && check.propagation.servers.length > 0 && (
        <Section level={4} size="h6" title="Propagation">
          <PropagationClock propagation={check.propagation} />
        </Section>
      )}
      {ownership === 'proven' && (
        <Section level={4} size="h6" title="Certificate">
          <CertificateView domain={domain} />
        </Section>
      )}
    </Stack>
  )
}
