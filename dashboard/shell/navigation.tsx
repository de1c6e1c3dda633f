// The pages that an account can open: for the navigation and for keyboard shortcuts.
import type { ReactNode } from 'react'
import * as icons from '../components/icons.tsx'
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
  const publishing = { title: 'Projects', to: '/', icon: <icons.BookIcon />, key: 'p' }
  const account = { title: 'Account', to: '/account', icon: <icons.UserIcon />, key: 'i' }
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
        { title: 'Animals', to: `${store}/animals`, icon: <icons.PawIcon />, key: 'a' },
        { title: 'Categories', to: `${store}/categories`, icon: <icons.TagIcon />, key: 'c' },
        { title: 'Orders', to: `${store}/orders`, icon: <icons.OrderIcon />, key: 'o' },
        { title: 'API keys', to: `${store}/keys`, icon: <icons.KeyIcon />, key: 'k' },
        { title: 'Webhooks', to: `${store}/webhooks`, icon: <icons.HookIcon />, key: 'w' },
      ],
    ],
    [
      'Administration',
      [
        { title: 'Members', to: '/members', icon: <icons.PeopleIcon />, key: 'm' },
        { title: 'Audit log', to: '/audit-log', icon: <icons.LogIcon />, key: 'l' },
        { title: 'System', to: '/system', icon: <icons.PulseIcon />, key: 's' },
        account,
      ],
    ],
  ]
}
