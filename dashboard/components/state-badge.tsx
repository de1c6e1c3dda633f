// A state in one word.
import { Badge } from '@mantine/core'
import classes from './state-badge.module.css'

export type Tone = 'good' | 'busy' | 'act' | 'bad' | 'still'

export function StateBadge({
  children,
  size = 'md',
  tone,
}: {
  tone: Tone
  children: string
  size?: 'md' | 'lg'
}) {
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
