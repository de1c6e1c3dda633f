// The pages that an account can open, for the navigation and for keyboard shortcuts, and the menu of the account.

import {
  Avatar,
  Box,
  Group,
  Menu,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import * as icons from '../components/icons.tsx'
import { attempt } from '../platform/announcements.ts'
import { type EnvironmentName, useAccount } from '../platform/requests.ts'
import { type Account, signOut } from '../platform/session.ts'

/** By the last part of the address; the others are projects. */
const looks: Record<string, typeof icons.BookIcon> = {
  account: icons.UserIcon,
  analytics: icons.ChartIcon,
  animals: icons.PawIcon,
  'audit-log': icons.LogIcon,
  categories: icons.TagIcon,
  danger: icons.WarningIcon,
  deploys: icons.UploadIcon,
  domains: icons.GlobeIcon,
  general: icons.SettingsIcon,
  keys: icons.KeyIcon,
  members: icons.PeopleIcon,
  orders: icons.OrderIcon,
  site: icons.SettingsIcon,
  system: icons.PulseIcon,
  tokens: icons.KeyIcon,
  webhooks: icons.HookIcon,
}

/** Of a page or a record at this address. */
export function iconOf(address: string): ReactNode {
  const [path = '', query = ''] = address.split('?')
  const isProject = /^\/projects\/[^/]*$/.test(path)
  const name = query.startsWith('categoryId=') ? 'categories' : path.split('/').at(-1)
  const Icon = (!isProject && looks[name ?? '']) || icons.BookIcon
  return <Icon />
}

interface NavigationItem {
  title: string
  to: string
  /** Pressed after g. */
  key: string
}

/** In groups, each with its title. */
export function navigationOf(
  { role }: Account,
  environment: EnvironmentName,
): [string, NavigationItem[]][] {
  const publishing = { title: 'Projects', to: '/', key: 'p' }
  const account = { title: 'Account', to: '/account', key: 'i' }
  const store = `/store/${environment}`
  if (role !== 'operator')
    return [
      ['Publishing', [publishing]],
      ['', [account]],
    ]
  return [
    ['Publishing', [publishing]],
    [
      'Store',
      [
        { title: 'Animals', to: `${store}/animals`, key: 'a' },
        { title: 'Categories', to: `${store}/categories`, key: 'c' },
        { title: 'Orders', to: `${store}/orders`, key: 'o' },
        { title: 'API keys', to: `${store}/keys`, key: 'k' },
        { title: 'Webhooks', to: `${store}/webhooks`, key: 'w' },
      ],
    ],
    [
      'Administration',
      [
        { title: 'Members', to: '/members', key: 'm' },
        { title: 'Audit log', to: '/audit-log', key: 'l' },
        { title: 'System', to: '/system', key: 's' },
        account,
      ],
    ],
  ]
}

export function AccountMenu() {
  const account = useAccount()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const initials = account.name
    .split(/\s+/)
    .map((part) => part[0] ?? '')
    .slice(0, 2)
    .join('')

  return (
    <Menu position="bottom-end" width={240} withArrow>
      <Menu.Target>
        <UnstyledButton aria-label={`${initials}, account of ${account.name}`} p={4}>
          <Group gap={6} wrap="nowrap">
            <Avatar size={32} color="leaf" radius="xl">
              {initials}
            </Avatar>
            <icons.ChevronIcon size={16} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Box p="xs">
          <Text size="sm" fw={600} truncate>
            {account.name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {account.email}
          </Text>
        </Box>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account">
          Account
        </Menu.Item>
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        >
          {appearances.map(({ label, value }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => attempt(signOut())}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const appearances = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      w="100%"
      aria-label="Appearance"
      value={colorScheme}
      onChange={(value) => setColorScheme(value as typeof colorScheme)}
      data={[...appearances]}
    />
  )
}
