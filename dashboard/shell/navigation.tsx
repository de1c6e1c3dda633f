// The ways to all pages, by what the account may see.
import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation, useParams } from 'react-router'
import type { Account } from '../../server/platform/accounts/schema.ts'
import {
  BookIcon,
  HookIcon,
  KeyIcon,
  OrderIcon,
  PawIcon,
  PeopleIcon,
  PulseIcon,
  TagIcon,
  UserIcon,
} from '../components/icons.tsx'
import classes from './navigation.module.css'

interface Way {
  title: string
  to: string
  icon: React.ReactNode
}

export type EnvironmentName = 'production' | 'staging'

/** The environment that is looked at; production outside of the store's pages. */
export function useEnvironment(): EnvironmentName {
  return useParams().environment === 'staging' ? 'staging' : 'production'
}

export function Navigation({ account, onGo }: { account: Account; onGo: () => void }) {
  const environment = useEnvironment()
  const isOperator = account.role === 'operator'
  const store = `/store/${environment}`
  const groups: { title: string; ways: Way[] }[] = [
    { title: 'Publishing', ways: [{ title: 'Projects', to: '/', icon: <BookIcon /> }] },
    {
      title: 'Store',
      ways: isOperator
        ? [
            { title: 'Animals', to: `${store}/animals`, icon: <PawIcon /> },
            { title: 'Categories', to: `${store}/categories`, icon: <TagIcon /> },
            { title: 'Orders', to: `${store}/orders`, icon: <OrderIcon /> },
            { title: 'API keys', to: `${store}/keys`, icon: <KeyIcon /> },
            { title: 'Webhooks', to: `${store}/webhooks`, icon: <HookIcon /> },
          ]
        : [],
    },
    {
      title: isOperator ? 'Operation' : '',
      ways: [
        ...(isOperator
          ? [
              { title: 'Members', to: '/members', icon: <PeopleIcon /> },
              { title: 'System', to: '/system', icon: <PulseIcon /> },
            ]
          : []),
        { title: 'Account', to: '/account', icon: <UserIcon /> },
      ],
    },
  ]
  return (
    <nav aria-label="Main">
      {groups
        .filter(({ ways }) => ways.length > 0)
        .map(({ title, ways }) => (
          <Stack key={title} gap={2} mb="md">
            {title && <Text className={classes.group}>{title}</Text>}
            {ways.map((way) => (
              <WayLink key={way.to} way={way} onGo={onGo} />
            ))}
          </Stack>
        ))}
    </nav>
  )
}

function WayLink({ onGo, way: { icon, title, to } }: { way: Way; onGo: () => void }) {
  const { pathname } = useLocation()
  const isHere = to === '/' ? pathname === '/' || pathname.startsWith('/projects') : pathname === to
  return (
    <NavLink
      className={classes.way ?? ''}
      component={Link}
      to={to}
      label={title}
      leftSection={icon}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      onClick={onGo}
    />
  )
}
