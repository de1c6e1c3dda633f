// One domain: its badge and headline; the details expand.
import {
  ActionIcon,
  Anchor,
  Button,
  Collapse,
  Group,
  Menu,
  Paper,
  Stack,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { addressOf } from '../../../client/management-client.ts'
import { useAnnounce } from '../../components/announcements.tsx'
import { ChevronIcon, ExternalIcon, MoreIcon, RefreshIcon } from '../../components/icons.tsx'
import { Ago } from '../../components/time.tsx'
import { explain } from '../../platform/api.ts'
import { span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'
import { CertificateView } from './certificate-view.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { badgeTitles, DomainBadge, toneOf } from './domain-badge.tsx'
import classes from './domain-card.module.css'
import {
  type Domain,
  useConfiguration,
  useConfigure,
  useDomain,
  useVerifyDomain,
} from './domain-queries.ts'
import { PropagationClock } from './propagation.tsx'
import { RecordForms, RecordTable } from './record-table.tsx'
import { withoutRedirect, withPrimary } from './redirect-form.tsx'

export interface DomainCardProps {
  slug: string
  domain: Domain
  isOpen: boolean
  toggle: () => void
  askRedirect: () => void
  askRemoval: () => void
}

export function DomainCard(props: DomainCardProps) {
  const { domain, isOpen, slug, toggle } = props
  const { badge, host, redirect, role, unicodeHost } = domain
  const panel = `domain-${host}`
  return (
    <Paper
      component="article"
      aria-label={unicodeHost}
      withBorder
      className={classes.card ?? ''}
      data-tone={toneOf(badge)}
    >
      <div className={classes.top}>
        <UnstyledButton
          className={classes.head ?? ''}
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={panel}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <span className={classes.chevron} data-open={isOpen}>
              <ChevronIcon />
            </span>
            <div className={classes.title}>
              <Group gap="xs">
                <Title order={3} size="h5" className={classes.host ?? ''}>
                  {unicodeHost}
                </Title>
                <DomainBadge badge={badge} />
                {role === 'primary' && <Text className={classes.role}>Primary</Text>}
                {redirect && (
                  <Text className={classes.role}>
                    {redirect.status} to {redirect.to}
                  </Text>
                )}
              </Group>
              {unicodeHost !== host && (
                <Text size="sm" c="dimmed">
                  {host} in DNS
                </Text>
              )}
              <Headline domain={domain} />
            </div>
          </Group>
        </UnstyledButton>
        <Group gap={4} wrap="nowrap" className={classes.actions}>
          <VerifyButton domain={domain} slug={slug} />
          <DomainMenu {...props} />
        </Group>
      </div>
      <Collapse expanded={isOpen} id={panel}>
        {isOpen && <Details domain={domain} slug={slug} />}
      </Collapse>
    </Paper>
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
  return first?.title ?? `${badgeTitles[badge]}: ${host} has not been checked yet.`
}

function VerifyButton({ domain, slug }: { domain: Domain; slug: string }) {
  const verify = useVerifyDomain(slug)
  const announce = useAnnounce()
  const { badge, host, ownership } = domain
  if (badge === 'active') return null
  const verb = badge === 'paused' ? 'Resume' : ownership === 'proven' ? 'Re-verify' : 'Verify'
  return (
    <Button
      size="compact-sm"
      h={30}
      variant={toneOf(badge) === 'busy' ? 'default' : 'filled'}
      loading={verify.isPending}
      aria-label={`${verb} ${host}`}
      onClick={() =>
        verify.mutate(host, {
          onError: (error) => announce({ text: explain(error), tone: 'failed' }),
        })
      }
    >
      {verb}
    </Button>
  )
}

function DomainMenu({ askRedirect, askRemoval, domain, slug }: DomainCardProps) {
  const { host, ownership, role } = domain
  const verify = useVerifyDomain(slug)
  const configuration = useConfiguration(slug)
  const configure = useConfigure(slug)
  const announce = useAnnounce()
  const failed = (error: unknown): void => announce({ text: explain(error), tone: 'failed' })
  const known = configuration.data

  function makePrimary(): void {
    if (!known) return
    configure.mutate(withPrimary(known, host), {
      onSuccess: () =>
        announce({
          text: `${host} is now the primary domain.`,
          undo: () => configure.mutate(known),
        }),
      onError: failed,
    })
  }

  function endRedirect(): void {
    if (!known) return
    configure.mutate(withoutRedirect(known, host), {
      onSuccess: () =>
        announce({ text: `${host} now serves the site.`, undo: () => configure.mutate(known) }),
      onError: failed,
    })
  }

  return (
    <Menu position="bottom-end" withArrow width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Menu of ${host}`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={role === 'primary' || !known} onClick={makePrimary}>
          Make primary
        </Menu.Item>
        {role === 'redirect' && (
          <Menu.Item disabled={!known} onClick={endRedirect}>
            Serve the site
          </Menu.Item>
        )}
        <Menu.Item onClick={askRedirect}>Redirect</Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<RefreshIcon size={16} />}
          onClick={() => verify.mutate(host, { onError: failed })}
        >
          Check now
        </Menu.Item>
        {ownership === 'proven' && (
          <Menu.Item onClick={() => verify.mutate(host, { onError: failed })}>Re-verify</Menu.Item>
        )}
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
        <Menu.Item color="red" onClick={askRemoval}>
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Details({ domain: listed, slug }: { domain: Domain; slug: string }) {
  // Lists leave out the rate limits of the certificate authority.
  const { data: domain = listed } = useDomain(slug, listed.host)
  const { check, dns, host, ownership, verification, record, serving } = domain
  const isResolved = dns === 'ok'
  return (
    <Stack className={classes.details ?? ''} gap="lg">
      {serving === 'https' && (
        <Anchor href={`https://${host}/`} target="_blank" rel="noreferrer" w="fit-content">
          <Group gap={6} component="span">
            https://{host} <ExternalIcon size={15} />
          </Group>
        </Anchor>
      )}
      {!isResolved && (
        <Part title="Create this DNS record">
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
        </Part>
      )}
      {verification.isRequired && ownership !== 'proven' && (
        <Part title="Prove that you own the domain">
          <RecordTable
            record={{
              type: 'TXT',
              name: verification.name,
              value: verification.value,
              ttlSeconds: 3600,
            }}
          />
        </Part>
      )}
      {check && check.diagnostics.length > 0 && (
        <Part
          title="Diagnostics"
          beside={
            <Text size="sm" c="dimmed">
              Checked <Ago time={check.at} />
            </Text>
          }
        >
          <Diagnostics diagnostics={check.diagnostics} />
        </Part>
      )}
      {check && check.propagation.servers.length > 0 && (
        <Part title="Propagation">
          <PropagationClock propagation={check.propagation} />
        </Part>
      )}
      {ownership === 'proven' && (
        <Part title="Certificate">
          <CertificateView domain={domain} />
        </Part>
      )}
    </Stack>
  )
}

function Part({
  beside,
  children,
  title,
}: {
  title: string
  beside?: ReactNode
  children: ReactNode
}) {
  return (
    <section>
      <Group justify="space-between" gap="xs" mb={6}>
        <Title order={4} size="h6">
          {title}
        </Title>
        {beside}
      </Group>
      <Stack gap="xs">{children}</Stack>
    </section>
  )
}
