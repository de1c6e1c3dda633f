// The parts of a page as tabs. Each is a link with an address of its own.
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import classes from './tab-links.module.css'

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
  const shown = useRef<HTMLAnchorElement>(null)
  // On a phone, the tab may be beside the visible part.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is shown
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav aria-label={label} className={classes.tabs}>
      {tabs.map(({ title, to }) => (
        <Link
          key={to}
          to={to}
          className={classes.tab}
          {...(to === current && { ref: shown, 'aria-current': 'page' as const })}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
