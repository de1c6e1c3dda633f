// One domain: its badge and headline, its actions, its progress and next step; everything else behind Details.
import { Stack, Text } from '@mantine/core'
import { Disclosure } from '../../components/disclosure.tsx'
import { ExpandableCard } from '../../components/expandable-card.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useNow } from '../../platform/use-now.ts'
import { DomainDetails } from './domain-details.tsx'
import { DomainMenu } from './domain-menu.tsx'
import { DomainProgress } from './domain-progress.tsx'
import { type Domain, useDomain } from './domain-queries.ts'
import { badges, headlineOf } from './domain-status.ts'
import { NextStep } from './next-step.tsx'
import { VerifyButton } from './verify-button.tsx'

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
      details={() => <Opened domain={domain} />}
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

function Opened({ domain: listed }: { domain: Domain }) {
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
