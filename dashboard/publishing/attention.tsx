// What needs the owner of a project: a deploy that failed, and domains that do not solve themselves.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { WarningIcon } from '../components/icons.tsx'
import classes from './attention.module.css'
import { badges } from './domains/domain-status.ts'
import type { Project } from './project-queries.ts'

interface Problem {
  title: string
  to: string
}

export function problemsOf({ domains, lastDeploy, liveDeploy, slug }: Project): Problem[] {
  const problems = domains.attention.map(({ badge, host }) => ({
    title: `${host}: ${badges[badge].title}`,
    to: `/projects/${slug}/settings/domains?domain=${encodeURIComponent(host)}`,
  }))
  if (lastDeploy?.state !== 'failed') return problems
  const rest = liveDeploy ? ` Deploy ${liveDeploy.number} is still live.` : ''
  const failed = `Deploy ${lastDeploy.number} failed.${rest}`
  return [{ title: failed, to: `/projects/${slug}/deploys` }, ...problems]
}

export function Attention({ project }: { project: Project }) {
  const problems = problemsOf(project)
  if (problems.length === 0) return null
  return (
    <ul className={classes.problems} aria-label="Needs attention">
      {problems.map(({ title, to }) => (
        <li key={title} className={classes.problem}>
          <WarningIcon size={16} />
          <Anchor component={Link} to={to} size="sm" c="inherit">
            {title}
          </Anchor>
        </li>
      ))}
    </ul>
  )
}
