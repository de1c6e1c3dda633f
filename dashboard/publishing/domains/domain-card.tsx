// One domain: its badge and its one headline, always; everything else unfolds.
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
import type { Domain } from '../../../server/publishing/domains/api/schema.ts'
import { badges } from '../../../server/publishing/domains/state/badge.ts'
import { useAnnounce } from '../../components/announcements.tsx'
import { ChevronIcon, ExternalIcon, MoreIcon, RefreshIcon } from '../../components/icons.tsx'
import { Ago } from '../../components/time.tsx'
import { explain, path } from '../../platform/api.ts'
import { span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'
import { CertificateView } from './certificate-view.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { DomainBadge, toneOf } from './domain-badge.tsx'
import classes from './domain-card.module.css'
import { useConfiguration, useConfigure, useDomain, useVerifyDomain } from './domain-queries.ts'
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

/** Follows the clock by itself, so that the rest of the card need not. */
function Headline({ domain }: { domain: Domain }) {
  const now = useNow()
  return (
    <Text size="sm" c="dimmed">
      {headlineOf(domain, now)}
    </Text>
  )
}

/** The one sentence: of the doctor where it has something to say, else of the state. */
function headlineOf({ badge, certificate, check, host }: Domain, now: number): string {
  const [first] = check?.diagnostics ?? []
  if (badge === 'active') {
    const by = certificate.issuer === null ? '' : ` by ${certificate.issuer}`
    return first && first.severity === 'warns'
      ? first.title
      : `Served over HTTPS. The certificate${by} is renewed by itself.`
  }
  if (badge === 'issuing_certificate')
    return 'Verified. The certificate is on its way, usually within a couple of minutes.'
  if (badge === 'suspended')
    return 'The plan does not include custom domains any more. The name stays held for you.'
  if (badge === 'paused') return 'Not verified for 30 days. Resume looks at it again.'
  if (badge === 'retrying' && certificate.nextTryAt !== null) {
    const when = new Date(certificate.nextTryAt).getTime() - now
    const next = when > 0 ? `Tried again in ${span(when)}` : 'It is tried again now'
    return `The certificate authority could not issue it. ${next}.`
  }
  return first?.title ?? `${badges[badge]}: ${host} has not been checked yet.`
}

function VerifyButton({ domain, slug }: { domain: Domain; slug: string }) {
  const verify = useVerifyDomain(slug)
  const announce = useAnnounce()
  const { badge, host, ownership } = domain
  if (badge === 'active') return null
  const word = badge === 'paused' ? 'Resume' : ownership === 'proven' ? 'Re-verify' : 'Verify'
  return (
    <Button
      size="compact-sm"
      h={30}
      variant={toneOf(badge) === 'busy' ? 'default' : 'filled'}
      loading={verify.isPending}
      aria-label={`${word} ${host}`}
      onClick={() =>
        verify.mutate(host, {
          onError: (error) => announce({ text: explain(error), tone: 'failed' }),
        })
      }
    >
      {word}
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
        announce({ text: `${host} is the primary domain.`, undo: () => configure.mutate(known) }),
      onError: failed,
    })
  }

  function endRedirect(): void {
    if (!known) return
    configure.mutate(withoutRedirect(known, host), {
      onSuccess: () =>
        announce({ text: `${host} serves the site.`, undo: () => configure.mutate(known) }),
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
          href={`/api${path`/projects/${slug}/domains/${host}/evidence`}`}
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
  // Lists leave out what the authority still gives.
  const { data: domain = listed } = useDomain(slug, listed.host, true)
  const { check, dns, host, ownership, verification, record, serving } = domain
  const isRight = dns === 'ok'
  return (
    <Stack className={classes.details ?? ''} gap="lg">
      {serving === 'https' && (
        <Anchor href={`https://${host}/`} target="_blank" rel="noreferrer" w="fit-content">
          <Group gap={6} component="span">
            https://{host} <ExternalIcon size={15} />
          </Group>
        </Anchor>
      )}
      {!isRight && (
        <Part title="The DNS record to create">
          <RecordTable record={record} />
          {check?.provider && (
            <Text size="sm">
              {check.zone} is at {check.provider.name}
              {record.type === 'ALIAS' &&
                (check.provider.hasAlias
                  ? ', which supports ALIAS or ANAME'
                  : ', which does not support ALIAS or ANAME: use www with a redirect, or move the DNS')}
              .
            </Text>
          )}
          {record.type === 'ALIAS' && !check?.provider && (
            <Text size="sm">
              Not every DNS provider supports ALIAS or ANAME. Where yours does not, add www and let
              this domain redirect to it.
            </Text>
          )}
          <RecordForms forms={record.forms} />
          <Text size="sm" c="dimmed">
            DNS propagation can take up to 48 hours, but usually resolves within minutes. It is
            looked at again by itself.
          </Text>
        </Part>
      )}
      {verification.isRequired && ownership !== 'proven' && (
        <Part title="Prove that the domain is yours">
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
          title="What was found"
          beside={
            <Text size="sm" c="dimmed">
              checked <Ago time={check.at} />
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
