// A card with a headline that expands to its details. The address holds which card is open, by its kind: ?domain=…
// A link to a card scrolls it into view; a click on the card itself moves nothing.
import {
  Box,
  Center,
  Collapse,
  Flex,
  Group,
  Paper,
  Stack,
  Title,
  type TitleOrder,
  UnstyledButton,
} from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { ChevronIcon } from './icons.tsx'
import type { Tone } from './values.tsx'

/** The left edge of a card. */
const edges: Record<Tone, string | undefined> = {
  danger: 'var(--mantine-color-red-filled)',
  action: '#ffcb3d',
  success: 'var(--mantine-primary-color-filled)',
  progress: 'var(--mantine-color-blue-filled)',
  neutral: undefined,
}

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
      p="0.6rem 0.6rem 0.6rem 0.4rem"
      style={{
        // Below the sticky header.
        scrollMarginTop: '4.5rem',
        ...(edges[tone] && { borderLeft: `4px solid ${edges[tone]}` }),
      }}
    >
      <Flex
        direction={{ base: 'column', xs: 'row' }}
        align={{ base: 'stretch', xs: 'flex-start' }}
        gap="0.25rem"
      >
        <UnstyledButton
          flex={1}
          miw={0}
          p="0.25rem"
          bdrs="sm"
          onClick={() =>
            setSearch({ [kind]: isOpen ? '' : id }, { replace: true, state: { stays: true } })
          }
          aria-expanded={isOpen}
          aria-controls={detailsId}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Center
              inline
              mt="0.3rem"
              c="dimmed"
              style={{
                transform: isOpen ? 'none' : 'rotate(-90deg)',
                transition: 'transform 120ms',
              }}
            >
              <ChevronIcon />
            </Center>
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
        <Group gap={4} wrap="nowrap" justify="flex-end" flex="none" pt="0.25rem">
          {actions}
        </Group>
      </Flex>
      <Collapse expanded={isOpen} id={detailsId}>
        {isOpen && (
          <Box pt="1rem" pr="0.6rem" pb="0.6rem" pl={{ base: '0.6rem', xs: '2rem' }}>
            {details()}
          </Box>
        )}
      </Collapse>
    </Paper>
  )
}
