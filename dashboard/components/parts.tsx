// The parts of a page, as tabs or in an index beside them. Each is a page with an address of its own, or all are on this page;
// then the index is shown only where there is room for it.

import { NavLink } from '@mantine/core'
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Link, useLocation } from 'react-router'
import classes from './parts.module.css'

export interface TabLink {
  title: string
  to: string
}

/** `label` names them for screen readers; `current` is the address of the tab that is shown. */
export function TabLinks({
  current,
  label,
  tabs,
}: {
  current: string
  label: string
  tabs: readonly TabLink[]
}) {
  const row = useCurrentInView(current)
  return (
    <nav ref={row} aria-label={label} className={`${classes.tabs} ${classes.row}`}>
      {tabs.map(({ title, to }) => (
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

interface SettingsLayoutProps {
  /** Of the index, for screen readers. */
  label: string
  children: ReactNode
}

/** `current` is the address of the part that is shown. */
export function SettingsPages({
  current,
  pages,
  ...layout
}: SettingsLayoutProps & { pages: TabLink[]; current: string }) {
  const row = useCurrentInView(current)
  const nav = { ref: row, className: `${classes.index} ${classes.row}` }
  return <SettingsLayout {...layout} nav={nav} links={pages} current={current} mark="page" />
}

/** `parts`: the titles by the ids of sections. */
export function SettingsParts({
  parts,
  ...layout
}: SettingsLayoutProps & { parts: Record<string, string> }) {
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
}: SettingsLayoutProps & {
  nav: ComponentProps<'nav'>
  links: TabLink[]
  current: string
  mark: 'page' | 'location'
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
      <div className={classes.parts}>{children}</div>
    </div>
  )
}

/** The last part that begins near the top of the window; at the end of the page, the last one. */
function useShownPart(parts: Record<string, string>): string | undefined {
  const ids = Object.keys(parts)
  const [shown, setShown] = useState(ids[0])
  const key = ids.join()
  useEffect(() => {
    const all = key.split(',')
    const find = (): void => {
      const isEnd = scrollY > 0 && innerHeight + scrollY >= document.body.scrollHeight - 2
      const topOf = (id: string): number =>
        document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
      const begun = all.findLast((id) => topOf(id) < Math.min(innerHeight / 3, 240))
      setShown(isEnd ? all.at(-1) : (begun ?? all[0]))
    }
    find()
    addEventListener('scroll', find, { passive: true })
    return () => removeEventListener('scroll', find)
  }, [key])
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
