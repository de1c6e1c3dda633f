// The parts of a page as tabs. Each is a link with an address of its own.
import { Link } from 'react-router'
import edges from './scroll-edges.module.css'
import classes from './tab-links.module.css'
import { useScrollEdges } from './use-scroll-edges.ts'

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
  const row = useScrollEdges(current)
  return (
    <nav ref={row} aria-label={label} className={`${classes.tabs} ${edges.row}`}>
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
