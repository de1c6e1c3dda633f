// The links to all pages that the account can open.
import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { useEnvironment } from '../platform/environment.ts'
import type { Account } from '../platform/session.ts'
import { type Place, placesOf } from './places.tsx'
import classes from './shell.module.css'

export function Navigation({ account, onOpen }: { account: Account; onOpen: () => void }) {
  const environment = useEnvironment()
  return (
    <nav aria-label="Main">
      {placesOf(account, environment).map(([title, places]) => (
        <Stack key={title} gap={2} mb="md">
          {title && <Text className={classes.group}>{title}</Text>}
          {places.map((place) => (
            <PlaceLink key={place.to} place={place} onOpen={onOpen} />
          ))}
        </Stack>
      ))}
    </nav>
  )
}

function PlaceLink({ onOpen, place: { icon, title, to } }: { place: Place; onOpen: () => void }) {
  const { pathname } = useLocation()
  const isCurrent =
    to === '/' ? pathname === '/' || pathname.startsWith('/projects') : pathname === to
  return (
    <NavLink
      className={classes.place ?? ''}
      component={Link}
      to={to}
      label={title}
      leftSection={icon}
      active={isCurrent}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onOpen}
    />
  )
}
