// The frame of every page: navigation, account menu, environment of the store, and dialogs.
import {
  Anchor,
  AppShell,
  Burger,
  Group,
  Modal,
  NavLink,
  SegmentedControl,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link, Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router'
import { Dialogs } from '../components/dialog.tsx'
import { Failed, Loading } from '../components/states.tsx'
import icon from '../icon.svg'
import { isCode } from '../platform/api.ts'
import { useOutage } from '../platform/outage.ts'
import { type EnvironmentName, useEnvironment } from '../platform/requests.ts'
import { type Account, leaveForSignIn, useSessionEnded } from '../platform/session.ts'
import { accountQuery } from '../platform/use-account.ts'
import { PasskeyButton } from '../sign-in/passkey-button.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useKeptFocus } from './keep-focus.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { navigationOf } from './navigation.tsx'
import { PaletteOpener } from './palette-opener.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'

export function Shell() {
  const session = useQuery(accountQuery)
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const { pathname } = useLocation()
  const environment = useEnvironment()
  // Members see an explanation there, which has no environment.
  const isStore = pathname.startsWith('/store/') && session.data?.role === 'operator'
  const hasOutage = useOutage()
  // Without a session, the sign-in page is about to open.
  const hasFailed = session.error !== null && !isCode(session.error, 'not_signed_in')
  useKeptFocus()
  if (!session.data) {
    return (
      <div className={classes.alone} aria-busy={!hasFailed}>
        {hasFailed && <Failed error={session.error} retry={() => void session.refetch()} />}
      </div>
    )
  }
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      className={classes.shell ?? ''}
      data-environment={isStore ? environment : undefined}
    >
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <AppShell.Header className={classes.header ?? ''}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            />
            <UnstyledButton
              component={Link}
              to="/"
              className={classes.brand ?? ''}
              onClick={close}
              aria-label="Animal Store"
            >
              <img src={icon} alt="" width="28" height="28" />
              <Text component="span" fw={650} visibleFrom="xs">
                Animal Store
              </Text>
            </UnstyledButton>
          </Group>
          <Group gap="sm" wrap="nowrap">
            {isStore && <EnvironmentSwitch environment={environment} />}
            <PaletteOpener account={session.data} />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={classes.navbar ?? ''}>
        <Navigation account={session.data} onOpen={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {isStore && environment === 'staging' && (
          <div className={classes.staging} role="note">
            Staging: a copy for testing. Nothing here affects production.
          </div>
        )}
        {hasOutage && (
          <div className={classes.outage} role="status">
            The server does not respond. Reconnecting…
          </div>
        )}
        <Dialogs>
          <LeaveGuard />
          {/* A page of another environment is mounted again. */}
          <Suspense key={environment} fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </Dialogs>
      </AppShell.Main>
      <Shortcuts account={session.data} />
      <SignInAgain account={session.data} />
      {/* Pages that are loaded by their addresses have no key of their own. */}
      <ScrollRestoration getKey={({ key, pathname }) => (key === 'default' ? pathname : key)} />
    </AppShell>
  )
}

function EnvironmentSwitch({ environment }: { environment: EnvironmentName }) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return (
    <SegmentedControl
      size="xs"
      aria-label="Environment"
      value={environment}
      classNames={{ indicator: classes.indicator ?? '', label: classes.choice ?? '' }}
      data-environment={environment}
      onChange={(value) => void navigate(pathname.replace(/^\/store\/\w+/, `/store/${value}`))}
      data={[
        { value: 'production', label: 'Production' },
        { value: 'staging', label: 'Staging' },
      ]}
    />
  )
}

function Navigation({ account, onOpen }: { account: Account; onOpen: () => void }) {
  const environment = useEnvironment()
  const { pathname } = useLocation()
  const current = pathname.startsWith('/projects') ? '/' : pathname
  return (
    <nav aria-label="Main">
      {navigationOf(account, environment).map(([title, items]) => (
        <Stack key={title} gap={2} mb="md">
          {title && <Text className={classes.group}>{title}</Text>}
          {items.map((item) => (
            <NavLink
              key={item.to}
              className={classes.item ?? ''}
              component={Link}
              to={item.to}
              label={item.title}
              leftSection={item.icon}
              active={item.to === current}
              aria-current={item.to === current ? 'page' : undefined}
              onClick={onOpen}
            />
          ))}
        </Stack>
      ))}
    </nav>
  )
}

function SignInAgain({ account }: { account: Account }) {
  const hasEnded = useSessionEnded()
  const client = useQueryClient()
  const goOn = async ({ id }: Account): Promise<void> => {
    // Data of one account must not stay on the page for another.
    if (id === account.id) await client.invalidateQueries()
    else location.assign('/')
  }
  return (
    <Modal
      opened={hasEnded}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // Above any other dialog.
      zIndex={300}
      title="Your session has ended"
    >
      <Stack>
        <Text>Sign in again to continue. What you typed is still here.</Text>
        <SignInForm
          email={account.email}
          aside={
            <Anchor component="button" type="button" size="sm" onClick={leaveForSignIn}>
              Use another account
            </Anchor>
          }
          onSignedIn={goOn}
        />
        <PasskeyButton onSignedIn={goOn} />
      </Stack>
    </Modal>
  )
}
