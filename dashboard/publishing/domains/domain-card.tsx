// One domain: its badge and headline, its actions, and its details.
import { ActionIcon, Anchor, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { addressOf } from '../../../client/management-client.ts'
import { useAttempt } from '../../components/announcements.tsx'
import { useDialog } from '../../components/dialog.tsx'
import { ExpandableCard } from '../../components/expandable-card.tsx'
import { ExternalIcon, MoreIcon, RefreshIcon } from '../../components/icons.tsx'
import { Section } from '../../components/page.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Ago } from '../../components/time.tsx'
import { useChange, useGet } from '../../platform/requests.ts'
import { span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'
import { CertificateView } from './certificate-view.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { badges } from './domain-badge.ts'
import {
  type Configuration,
  type Domain,
  domainsQueries,
  useConfiguration,
  useConfigure,
} from './domain-queries.ts'
import { PropagationClock } from './propagation.tsx'
import { RecordForms, RecordTable } from './record-table.tsx'
import { RedirectForm, withoutRedirect, withPrimary } from './redirect-form.tsx'
import { Removal } from './removal.tsx'

export function DomainCard({
  domain,
  isOpen,
  slug,
  toggle,
}: {
  slug: string
  domain: Domain
  isOpen: boolean
  toggle: () => void
}) {
  const { badge, host, redirect, role, unicodeHost } = domain
  const { title, tone } = badges[badge]
  return (
    <ExpandableCard
      id={`domain-${host}`}
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
          <VerifyButton domain={domain} slug={slug} />
          <DomainMenu domain={domain} slug={slug} />
        </>
      }
      details={() => <Details domain={domain} slug={slug} />}
      isOpen={isOpen}
      toggle={toggle}
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
  if (badge === 'issuing_certificate')
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

function useVerify(slug: string) {
  const verify = useChange('POST /projects/{slug}/domains/{host}/verify', domainsQueries(slug))
  const attempt = useAttempt()
  return {
    isPending: verify.isPending,
    verify: (host: string) => attempt(verify.mutateAsync({ params: { slug, host } })),
  }
}

function VerifyButton({ domain, slug }: { domain: Domain; slug: string }) {
  const { isPending, verify } = useVerify(slug)
  const { badge, host, ownership } = domain
  if (badge === 'active') return null
  const verb = badge === 'paused' ? 'Resume' : ownership === 'proven' ? 'Re-verify' : 'Verify'
  return (
    <Button
      size="compact-sm"
      h={30}
      variant={badges[badge].tone === 'busy' ? 'default' : 'filled'}
      loading={isPending}
      aria-label={`${verb} ${host}`}
      onClick={() => verify(host)}
    >
      {verb}
    </Button>
  )
}

function DomainMenu({ domain, slug }: { domain: Domain; slug: string }) {
  const { host, ownership, role } = domain
  const { verify } = useVerify(slug)
  const { data: configuration } = useConfiguration(slug)
  const configure = useConfigure(slug)
  const attempt = useAttempt()
  const open = useDialog()

  function change(changed: (known: Configuration) => Configuration, done: string): void {
    if (!configuration) return
    const put = (body: Configuration) => configure.mutateAsync({ params: { slug }, body })
    attempt(
      put(changed(configuration)),
      () => done,
      () => put(configuration),
    )
  }

  return (
    <Menu position="bottom-end" withArrow width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Menu of ${host}`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={role === 'primary' || !configuration}
          onClick={() =>
            change((known) => withPrimary(known, host), `${host} is now the primary domain.`)
          }
        >
          Make primary
        </Menu.Item>
        {role === 'redirect' && (
          <Menu.Item
            disabled={!configuration}
            onClick={() =>
              change((known) => withoutRedirect(known, host), `${host} now serves the site.`)
            }
          >
            Serve the site
          </Menu.Item>
        )}
        <Menu.Item
          onClick={() =>
            open({
              title: `Redirect ${host}`,
              content: (close) => <RedirectForm slug={slug} domain={domain} close={close} />,
            })
          }
        >
          Redirect
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<RefreshIcon size={16} />} onClick={() => verify(host)}>
          Check now
        </Menu.Item>
        {ownership === 'proven' && <Menu.Item onClick={() => verify(host)}>Re-verify</Menu.Item>}
        <Menu.Item
          component="a"
          href={addressOf('GET /projects/{slug}/domains/{host}/evidence', {
            params: { slug, host },
          })}
          download={`evidence-${host}.json`}
        >
          Evidence
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          onClick={() =>
            open({
              title: `Remove ${host}?`,
              size: 'lg',
              content: (close) => <Removal slug={slug} domain={domain} close={close} />,
            })
          }
        >
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Details({ domain: listed, slug }: { domain: Domain; slug: string }) {
  // Lists leave out the rate limits of the certificate authority.
  const { data: domain = listed } = useGet('GET /projects/{slug}/domains/{host}', {
    params: { slug, host: listed.host },
  })
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
        </Section>
      )}
      {verification.isRequired && ownership !== 'proven' && (
        <Section level={4} size="h6" title="Prove that you own the domain">
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
