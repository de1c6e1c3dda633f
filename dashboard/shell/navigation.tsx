// The pages that an account can open: for the navigation and for keyboard shortcuts.
import type { ReactNode } from 'react'
import {
  BookIcon,
  HookIcon,
  KeyIcon,
  LogIcon,
  OrderIcon,
  PawIcon,
  PeopleIcon,
  PulseIcon,
  TagIcon,
  UserIcon,
} from '../components/icons.tsx'
import type { EnvironmentName } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'

interface NavigationItem {
  title: string
  to: string
  icon: ReactNode
  /** Pressed after g. */
  key: string
}

/** In groups, each with its title. */
export function navigationOf(
  { role }: Account,
  environment: EnvironmentName,
): [string, NavigationItem[]][] {
  const publishing = { title: 'Projects', to: '/', icon: <BookIcon />, key: 'p' }
  const account = { title: 'Account', to: '/account', icon: <UserIcon />, key: 'i' }
  if (role !== 'operator') {
    return [
      ['Publishing', [publishing]],
      ['', [account]],
    ]
  }
  const store = `/store/${environment}`
  return [
    ['Publishing', [publishing]],
    [
      'Store',
      [
        { title: 'Animals', to: `${store}/animals`, icon: <PawIcon />, key: 'a' },
        { title: 'Categories', to: `${store}/categories`, icon: <TagIcon />, key: 'c' },
        { title: 'Orders', to: `${store}/orders`, icon: <OrderIcon />, key: 'o' },
        { title: 'API keys', to: `${store}/keys`, icon: <KeyIcon />, key: 'k' },
        { title: 'Webhooks', to: `${store}/webhooks`, icon: <HookIcon />, key: 'w' },
      ],
    ],
    [
      'Administration',
      [
        { title: 'Members', to: '/members', icon: <PeopleIcon />, key: 'm' },
        { title: 'Audit log', to: '/audit-log', icon: <LogIcon />, key: 'l' },
        { title: 'System', to: '/system', icon: <PulseIcon />, key: 's' },
        account,
      ],
    ],
  ]
}
