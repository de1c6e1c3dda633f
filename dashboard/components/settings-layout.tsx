// A page of settings: its parts, and beside them an index. The parts are pages of their own, or all on this page; then the
// index is shown only where there is room for it.
import { NavLink } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import edges from './scroll-edges.module.css'
import classes from './settings-layout.module.css'
import type { TabLink } from './tab-links.tsx'
import { useScrollEdges } from './use-scroll-edges.ts'

interface SettingsLayoutProps {
  /** Of the index, for screen readers. */
  label: string
  children: ReactNode
}

/** `current` is the address of the part that is shown. */
export function SettingsPages({
  children,
  current,
  label,
  pages,
}: SettingsLayoutProps & { pages: TabLink[]; current: string }) {
  const row = useScrollEdges(current)
  return (
    <div className={classes.layout}>
      <nav ref={row} aria-label={label} className={`${classes.index} ${edges.row}`}>
        {pages.map(({ title, to }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={title}
            active={to === current}
            {...(to === current && { 'aria-current': 'page' as const })}
          />
        ))}
      </nav>
      <div className={classes.parts}>{children}</div>
    </div>
  )
}

/** `parts`: the titles by the ids of sections. */
export function SettingsParts({
  children,
  label,
  parts,
}: SettingsLayoutProps & { parts: Record<string, string> }) {
  const shown = useShownPart(parts)
  const { hash } = useLocation()
  // On from there by keyboard, as with a link to a part of a page.
  useEffect(() => {
    const heading = document.getElementById(hash.slice(1))?.querySelector<HTMLElement>('h2')
    if (!heading) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }, [hash])
  return (
    <div className={classes.layout}>
      <nav aria-label={label} className={classes.index} data-local>
        {Object.entries(parts).map(([id, title]) => (
          <NavLink
            key={id}
            component={Link}
            to={`#${id}`}
            replace
            label={title}
            active={id === shown}
            {...(id === shown && { 'aria-current': 'location' as const })}
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
