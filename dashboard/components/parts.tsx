// The parts of a page: tabs, an index beside sections, and cards that expand. Tabs are pages with addresses of their own; of
// sections on one page, the index is shown only where there is room for it. The address holds which card is open, by its
// kind: ?domain=… A link to a card scrolls it into view; a click on the card itself moves nothing.
import {
  Box,
  Center,
  Collapse,
  Flex,
  Group,
  NavLink,
  Paper,
  Stack,
  Title,
  type TitleOrder,
  UnstyledButton,
} from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { ChevronIcon } from './icons.tsx'
import classes from './parts.module.css'
import type { Tone } from './values.tsx'

export interface TabLink {
  title: string
  to: string
}

interface LinksProps {
  /** For screen readers. */
  label: string
  links: readonly TabLink[]
  /** The address of the one that is shown. */
  current: string
}

export function TabLinks({ current, label, links }: LinksProps) {
  const row = useCurrentInView(current)
  return (
    <nav ref={row} aria-label={label} className={`${classes.tabs} ${classes.row}`}>
      {links.map(({ title, to }) => (
        <Link
          key={to}
          to={to}
          className={classes.tab}
          {...(to === current && { 'aria-current': 'page' as const })}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}

/** Pages with an index of them. */
export function SettingsPages(layout: LinksProps & { children: ReactNode }) {
  const row = useCurrentInView(layout.current)
  const nav = { ref: row, className: `${classes.index} ${classes.row}` }
  return <SettingsLayout {...layout} nav={nav} mark="page" />
}

/** `parts`: the titles by the ids of sections. */
export function SettingsParts({
  parts,
  ...layout
}: Pick<LinksProps, 'label'> & { parts: Record<string, string>; children: ReactNode }) {
  const current = `#${useShownPart(parts)}`
  const { hash } = useLocation()
  // On from there by keyboard, as with a link to a part of a page.
  useEffect(() => {
    const heading = document.getElementById(hash.slice(1))?.querySelector<HTMLElement>('h2')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [hash])
  const links = Object.entries(parts).map(([id, title]) => ({ title, to: `#${id}` }))
  const nav = { className: classes.index, 'data-local': true }
  return <SettingsLayout {...layout} nav={nav} links={links} current={current} mark="location" />
}

function SettingsLayout({
  children,
  current,
  label,
  links,
  mark,
  nav,
}: LinksProps & {
  nav: ComponentProps<'nav'>
  mark: 'page' | 'location'
  children: ReactNode
}) {
  return (
    <div className={classes.layout}>
      <nav aria-label={label} {...nav}>
        {links.map(({ title, to }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            replace={mark === 'location'}
            label={title}
            active={to === current}
            aria-current={to === current ? mark : undefined}
          />
        ))}
      </nav>
      <Stack gap="2.5rem" miw={0}>
        {children}
      </Stack>
    </div>
  )
}

/** The last part that begins near the top of the window; at the end of the page, the last one. */
function useShownPart(parts: Record<string, string>): string | undefined {
  const ids = Object.keys(parts)
  const [shown, setShown] = useState(ids[0])
  const find = (): void => {
    const isEnd = scrollY > 0 && innerHeight + scrollY >= document.body.scrollHeight - 2
    const topOf = (id: string): number =>
      document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
    const begun = ids.findLast((id) => topOf(id) < Math.min(innerHeight / 3, 240))
    setShown(isEnd ? ids.at(-1) : (begun ?? ids[0]))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins; then it follows
  useEffect(find, [])
  useWindowEvent('scroll', find, { passive: true })
  return shown
}

/** For a row that scrolls sideways. `shown`: when it changes, the element with aria-current is scrolled into view. */
function useCurrentInView(shown: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is shown
  useEffect(() => {
    const current = row.current?.querySelector('[aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown])
  return row
}

const userEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Scrolls it into view, also whenever the page gets another height, until the user does something. Returns what ends it. */
function keepInView(element: RefObject<HTMLElement | null>): () => void {
  const ended = new AbortController()
  // Called at first, too.
  const watch = new ResizeObserver(() => element.current?.scrollIntoView({ block: 'start' }))
  ended.signal.addEventListener('abort', () => watch.disconnect())
  for (const name of userEvents) {
    addEventListener(name, () => ended.abort(), { passive: true, signal: ended.signal })
  }
  watch.observe(document.body)
  return () => ended.abort()
}

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
  useEffect(() => (isLinked ? keepInView(card) : undefined), [isLinked])
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
