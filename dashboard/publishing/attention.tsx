// What needs the owner of a project: a deploy that failed, and domains that do not solve themselves.
import { Anchor, Box, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { badges } from '../../client/values/domain-badges.ts'
import { WarningIcon } from '../components/icons.tsx'
import { counted } from '../platform/formats.ts'
import { compareHosts } from './domains/domain-queries.ts'
import type { Project } from './project-queries.ts'

/** The colours are those of the badge that asks for action. */
const look = {
  display: 'flex',
  m: 0,
  p: '0.35rem 0.65rem',
  bdrs: 'md',
  c: 'light-dark(#5c3c00, #ffd76a)',
  bg: 'light-dark(#fff0c2, #3d3010)',
  style: { gap: '0.5rem', alignItems: 'center', overflowWrap: 'anywhere' },
} as const

/** At most `max` of them; the others are a link to the project's domains. */
export function Attention({ max = 5, project }: { max?: number; project: Project }) {
  const all = problemsOf(project)
  if (all.length === 0) return null
  // One that would be left out alone is shown.
  const problems = all.length === max + 1 ? all : all.slice(0, max)
  const rest = all.slice(problems.length).reduce((sum, { count }) => sum + count, 0)
  return (
    <Stack component="ul" gap="0.35rem" aria-label="Needs attention">
      {problems.map(({ title, to }) => (
        <li key={title}>
          <Anchor component={Link} to={to} size="sm" {...look}>
            <WarningIcon size={16} />
            <Box miw={0}>{title}</Box>
          </Anchor>
        </li>
      ))}
      {rest > 0 && (
        <Box component="li" pos="relative" px="0.65rem">
          <Anchor component={Link} to={`/projects/${project.slug}/settings/domains`} size="sm">
            {rest} more
          </Anchor>
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
