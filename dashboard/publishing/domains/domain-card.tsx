// One domain: its badge and headline, its actions, its progress and next step; everything else behind Details.
import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { badges } from '../../../client/values/domain-badges.ts'
import { ExpandableCard } from '../../components/expandable-card.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Loading } from '../../components/states.tsx'
import { useNow } from '../../platform/use-now.ts'
import { DomainMenu } from './domain-menu.tsx'
import type { Domain } from './domain-queries.ts'
import { headlineOf } from './domain-status.ts'
import { VerifyButton } from './verify-button.tsx'

/** Loaded with the first card that is opened, and not with the list. */
const OpenedDomain = lazy(() =>
  import('./opened-domain.tsx').then((module) => ({ default: module.OpenedDomain })),
)

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
      details={() => (
        <Suspense fallback={<Loading rows={2} />}>
          <OpenedDomain domain={domain} />
        </Suspense>
      )}
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
