// A card with a headline that expands to its details.
import { Collapse, Group, Paper, Title, type TitleOrder, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './expandable-card.module.css'
import { ChevronIcon } from './icons.tsx'
import type { Tone } from './state-badge.tsx'

export function ExpandableCard({
  actions,
  beside,
  children,
  details,
  id,
  isOpen,
  level,
  title,
  toggle,
  tone,
}: {
  /** Of the details. */
  id: string
  title: string
  level: TitleOrder
  tone: Tone
  /** Beside the title. */
  beside: ReactNode
  /** Below the title. */
  children: ReactNode
  actions: ReactNode
  /** Rendered only while the card is open. */
  details: () => ReactNode
  isOpen: boolean
  toggle: () => void
}) {
  return (
    <Paper
      component="article"
      aria-label={title}
      withBorder
      className={classes.card ?? ''}
      data-tone={tone}
    >
      <div className={classes.top}>
        <UnstyledButton
          className={classes.head ?? ''}
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={id}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <span className={classes.chevron} data-open={isOpen}>
              <ChevronIcon />
            </span>
            <div className={classes.title}>
              <Group gap="xs">
                <Title order={level} size="h5" className={classes.name ?? ''}>
                  {title}
                </Title>
                {beside}
              </Group>
              {children}
            </div>
          </Group>
        </UnstyledButton>
        <Group gap={4} wrap="nowrap" className={classes.actions ?? ''}>
          {actions}
        </Group>
      </div>
      <Collapse expanded={isOpen} id={id}>
        {isOpen && <div className={classes.details}>{details()}</div>}
      </Collapse>
    </Paper>
  )
}
