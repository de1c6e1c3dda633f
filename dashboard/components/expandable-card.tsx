// A card with a headline that expands to its details. The address holds which card is open, by its kind: ?domain=…
// A link to a card scrolls it into view; a click on the card itself moves nothing.
import {
  Collapse,
  Group,
  Paper,
  Stack,
  Title,
  type TitleOrder,
  UnstyledButton,
} from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import classes from './expandable-card.module.css'
import { ChevronIcon } from './icons.tsx'
import type { Tone } from './values.tsx'

export function ExpandableCard({
  actions,
  beside,
  children,
  details,
  id,
  isOpenAtFirst = false,
  kind,
  level,
  title,
  tone,
}: {
  kind: 'domain' | 'removed' | 'webhook'
  id: string
  title: string
  level: TitleOrder
  tone: Tone
  beside: ReactNode
  children: ReactNode
  actions: ReactNode
  /** Rendered only while the card is open. */
  details: () => ReactNode
  isOpenAtFirst?: boolean
}) {
  const [search, setSearch] = useSearchParams()
  const shown = search.get(kind)
  const isOpen = shown === null ? isOpenAtFirst : shown === id
  const detailsId = `${kind}-${id}`
  const card = useRef<HTMLElement>(null)
  const { state } = useLocation()
  const isLinked = shown === id && state?.stays !== true
  useEffect(() => {
    if (isLinked) card.current?.scrollIntoView({ block: 'start' })
  }, [isLinked])
  return (
    <Paper
      ref={card}
      component="article"
      aria-label={title}
      withBorder
      className={classes.card ?? ''}
      data-tone={tone}
    >
      <div className={classes.top}>
        <UnstyledButton
          className={classes.head ?? ''}
          onClick={() =>
            setSearch({ [kind]: isOpen ? '' : id }, { replace: true, state: { stays: true } })
          }
          aria-expanded={isOpen}
          aria-controls={detailsId}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <span className={classes.chevron} data-open={isOpen}>
              <ChevronIcon />
            </span>
            <Stack gap="0.15rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
              <Group gap="xs">
                <Title order={level} size="h5" ff="text">
                  {title}
                </Title>
                {beside}
              </Group>
              {children}
            </Stack>
          </Group>
        </UnstyledButton>
        <Group gap={4} wrap="nowrap" className={classes.actions ?? ''}>
          {actions}
        </Group>
      </div>
      <Collapse expanded={isOpen} id={detailsId}>
        {isOpen && <div className={classes.details}>{details()}</div>}
      </Collapse>
    </Paper>
  )
}
