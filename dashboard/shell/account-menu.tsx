// The menu of the current account: its name, the appearance, and sign out.
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
import { Link } from 'react-router'
import { ChevronIcon } from '../components/icons.tsx'
import { attempt } from '../platform/announcements.ts'
import { useAccount } from '../platform/requests.ts'
import { signOut } from '../platform/session.ts'

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
            <ChevronIcon size={16} />
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
