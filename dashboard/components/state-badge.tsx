// A state in one word.
import { Badge } from '@mantine/core'
import classes from './state-badge.module.css'

export type Tone = 'success' | 'progress' | 'action' | 'danger' | 'neutral'

interface StateBadgeProps {
  tone: Tone
  children: string
  size?: 'md' | 'lg'
}

export function StateBadge({ children, size = 'md', tone }: StateBadgeProps) {
  return (
    <Badge
      className={classes.badge ?? ''}
      radius="sm"
      size={size}
      tt="none"
      fw={600}
      data-tone={tone}
    >
      {children}
    </Badge>
  )
}
