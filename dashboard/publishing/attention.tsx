// What needs the owner of a project: a deploy that failed, and domains that do not solve themselves.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { WarningIcon } from '../components/icons.tsx'
import classes from './attention.module.css'
import type { Project } from './project-queries.ts'
import { problemsOf } from './project-texts.ts'

/** At most `max` of them; the others are a link to the project's domains. */
export function Attention({ max = 5, project }: { max?: number; project: Project }) {
  const all = problemsOf(project)
  if (all.length === 0) return null
  // One that would be left out alone is shown.
  const problems = all.length === max + 1 ? all : all.slice(0, max)
  const rest = all.slice(problems.length).reduce((sum, { count }) => sum + count, 0)
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
      {rest > 0 && (
        <li className={classes.more}>
          <Anchor component={Link} to={`/projects/${project.slug}/settings/domains`} size="sm">
            {rest} more
          </Anchor>
        </li>
      )}
    </ul>
  )
}
