// What a project is known by where it is shown: the mark of its site as in the tabs of its visitors, what needs its owner (a
// deploy that failed, domains that do not solve themselves), and which of its domains a plan would suspend.

import { Box, Center, List, Stack, type StackProps, Text } from '@mantine/core'
import { firstLetter } from '#renderer/sources/plain-text.ts'
import { addressOf } from '../../client/management-client.ts'
import { badges } from '../../client/values/domain-badges.ts'
import { WarningIcon } from '../components/icons.tsx'
import { PageLink, tones } from '../components/values.tsx'
import { counted } from '../platform/formats.ts'
import { useGet } from '../platform/requests.ts'
import { compareHosts } from './domains/domain-queries.ts'
import type { Project } from './project-queries.ts'

/** Title, colour and icon of a site, those of the project until they are there. A finished site has its own, elsewhere. */
export function useSite({ liveDeploy, name, slug }: Project) {
  const { data } = useGet('GET /projects/{slug}/site-settings', {
    params: { slug },
    enabled: liveDeploy !== null,
    refetchOnWindowFocus: false,
    retry: false,
  })
  if (data?.live?.kind !== 'rendered') return { title: name }
  const { images, live, settings } = data
  const icon = live.files.favicon === null ? images.favicon : null
  return {
    title: live.files.title ?? settings.title ?? name,
    colour: live.files.colour ?? settings.colour ?? undefined,
    icon: icon ? addressOfImage(slug, 'favicon', icon.hash) : undefined,
  }
}

export function SiteMark({ isLarge = false, project }: { isLarge?: boolean; project: Project }) {
  // The colour of the theme of rendered sites (theme/header.css).
  const { colour = '#1c5f45', icon, title } = useSite(project)
  const isPublished = project.liveDeploy !== null
  const size = isLarge ? '3.5rem' : '2.75rem'
  const look = isPublished
    ? { c: '#fdfcf9', bg: icon ? 'var(--mantine-color-body)' : colour }
    : {
        c: 'dimmed',
        bd: '1.5px dashed color-mix(in srgb, var(--mantine-color-dimmed) 45%, transparent)',
      }
  const edge = icon ? 'var(--line)' : 'rgb(255 255 255 / 10%)'
  return (
    <Center
      component="span"
      flex="none"
      w={size}
      h={size}
      bdrs={isLarge ? '0.85rem' : '0.7rem'}
      fz={isLarge ? '1.65rem' : '1.3rem'}
      fw={650}
      lh={1}
      {...look}
      style={{
        overflow: 'hidden',
        userSelect: 'none',
        ...(isPublished && { boxShadow: `inset 0 0 0 1px ${edge}` }),
      }}
      data-published={isPublished}
      aria-hidden="true"
    >
      {icon ? (
        <Box component="img" src={icon} alt="" w="62%" h="62%" style={{ objectFit: 'contain' }} />
      ) : (
        firstLetter(title)
      )}
    </Center>
  )
}

/** Of an uploaded image. */
export function addressOfImage(slug: string, image: 'logo' | 'favicon', hash: string): string {
  const address = addressOf('GET /projects/{slug}/site-images/{image}', { params: { slug, image } })
  return `${address}?_v=${hash}`
}

const look = {
  display: 'flex',
  m: 0,
  p: '0.35rem 0.65rem',
  bdrs: 'md',
  ...tones.action,
  style: { gap: '0.5rem', alignItems: 'center', overflowWrap: 'anywhere' },
} as const

/** At most `max` of them; the others are a link to the project's domains. */
export function Attention({
  max = 5,
  project,
  ...stack
}: StackProps & { max?: number; project: Project }) {
  const all = problemsOf(project)
  if (all.length === 0) return null
  // One that would be left out alone is shown.
  const problems = all.length === max + 1 ? all : all.slice(0, max)
  const rest = all.slice(problems.length).reduce((sum, { count }) => sum + count, 0)
  return (
    <Stack component="ul" gap="0.35rem" aria-label="Needs attention" {...stack}>
      {problems.map(({ title, to }) => (
        <li key={title}>
          <PageLink to={to} {...look}>
            <WarningIcon size={16} />
            <Box miw={0}>{title}</Box>
          </PageLink>
        </li>
      ))}
      {rest > 0 && (
        <Box component="li" pos="relative" px="0.65rem">
          <PageLink to={`/projects/${project.slug}/settings/domains`}>{rest} more</PageLink>
        </Box>
      )}
    </Stack>
  )
}

interface Problem {
  title: string
  to: string
  /** How many domains it is about; 1 for a deploy. */
  count: number
}

/** More domains than this with the same status are one line. */
const maxListed = 2

const ofMany: Partial<Record<Project['domains']['attention'][number]['badge'], string>> = {
  add_dns_record: 'need a DNS record',
  fix_dns: 'need a fix of their DNS records',
  prove_ownership: 'need a proof of ownership',
  prepare_certificate: 'need records for their certificates',
  ready_to_switch: 'are ready to switch',
  needs_attention: 'need attention',
  at_risk: 'are at risk',
  suspended: 'are suspended',
  paused: 'are paused',
}

/** A last deploy that failed, and domains that need action. */
function problemsOf({ domains, lastDeploy, liveDeploy, slug }: Project): Problem[] {
  const list = `/projects/${slug}/settings/domains`
  const sorted = domains.attention.toSorted((a, b) => compareHosts(a.host, b.host))
  const problems = [...Map.groupBy(sorted, ({ badge }) => badge)].flatMap(([badge, found]) => {
    const { title } = badges[badge]
    const count = found.length
    if (count > maxListed) {
      const text = `${counted(count, 'domain')} ${ofMany[badge] ?? `: ${title}`}`
      return [{ title: text, to: `${list}?search=${encodeURIComponent(title)}`, count }]
    }
    return found.map(({ host }) => ({
      title: `${host}: ${title}`,
      to: `${list}?domain=${encodeURIComponent(host)}`,
      count: 1,
    }))
  })
  if (lastDeploy?.state !== 'failed') return problems
  const rest = liveDeploy ? ` Deploy ${liveDeploy.number} is still live.` : ''
  const failed = `Deploy ${lastDeploy.number} failed.${rest}`
  return [{ title: failed, to: `/projects/${slug}/deploys`, count: 1 }, ...problems]
}

/** The most hosts that are listed. */
const maxHosts = 8

/** `plan`: whose it is, as in "Your plan". Nothing if no domain is suspended. */
export function SuspendedDomains({
  hasMore = false,
  hosts,
  plan,
  when = ' after the transfer',
}: {
  hosts: string[]
  /** There are others than these hosts. */
  hasMore?: boolean
  plan: string
  /** From or until when, as in "after the transfer". */
  when?: string
}) {
  if (hosts.length === 0) return null
  const rest = hosts.length - maxHosts
  return (
    <Stack gap="xs">
      <Text>
        {`${plan} has no custom domains. ${hosts.length === 1 ? 'This one is' : 'These are'} no longer served${when}. The names stay reserved.`}
      </Text>
      <List>
        {hosts.slice(0, maxHosts).map((host) => (
          <List.Item key={host}>{host}</List.Item>
        ))}
      </List>
      {rest > 0 && <Text>{`and ${rest}${hasMore ? ' or' : ''} more`}</Text>}
    </Stack>
  )
}
