// The frame of every page: navigation, account menu, environment of the store, search, shortcuts, and dialogs.
import {
  Anchor,
  AppShell,
  Box,
  Burger,
  Button,
  Center,
  Group,
  Kbd,
  Modal,
  NavLink,
  SegmentedControl,
  Stack,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure, useReducedMotion, useWindowEvent } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, Outlet, ScrollRestoration, useBlocker, useLocation, useNavigate } from 'react-router'
import { confirm, Dialogs, openDialog } from '../components/actions.tsx'
import { hasUnsavedChanges } from '../components/form.tsx'
import { SearchIcon } from '../components/icons.tsx'
import { Failed, Loading } from '../components/page.tsx'
import { Note } from '../components/values.tsx'
import icon from '../icon.svg'
import { isCode, useOutage } from '../platform/api.ts'
import { accountQuery, type EnvironmentName, useEnvironment } from '../platform/requests.ts'
import { type Account, leaveForSignIn, useSessionEnded } from '../platform/session.ts'
import { PasskeyButton, SignInForm } from '../sign-in/sign-in-form.tsx'
import { AccountMenu, iconOf, navigationOf } from './navigation.tsx'
import classes from './shell.module.css'

export function Shell() {
  const session = useQuery(accountQuery)
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const { pathname } = useLocation()
  const environment = useEnvironment()
  // Members see an explanation there, which has no environment.
  const isStore = pathname.startsWith('/store/') && session.data?.role === 'operator'
  const isStaging = isStore && environment === 'staging'
  const hasOutage = useOutage()
  // Without a session, the sign-in page is about to open.
  const hasFailed = session.error !== null && !isCode(session.error, 'not_signed_in')
  useKeptFocus()
  if (!session.data) {
    return (
      <Box maw="32rem" m="15vh auto 0" px="1rem" aria-busy={!hasFailed}>
        {hasFailed && <Failed error={session.error} retry={() => void session.refetch()} />}
      </Box>
    )
  }
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      className={classes.shell ?? ''}
    >
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <AppShell.Header {...(isStaging && { style: { borderBottom: '3px solid #ffcb3d' } })}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            />
            <UnstyledButton component={Link} to="/" onClick={close} aria-label="Animal Store">
              <Center style={{ gap: '0.6rem' }}>
                <img src={icon} alt="" width="28" height="28" />
                <Text component="span" fw={650} visibleFrom="xs">
                  Animal Store
                </Text>
              </Center>
            </UnstyledButton>
          </Group>
          <Group gap="sm" wrap="nowrap">
            {isStore && <EnvironmentSwitch environment={environment} />}
            <PaletteOpener account={session.data} />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation account={session.data} onOpen={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {isStaging && (
          // Staging is unmistakable: stripes over the whole width, which production never has.
          <Text
            {...banner}
            py="0.3rem"
            bg="repeating-linear-gradient(-45deg, #ffd76a 0 14px, #ffcb3d 14px 28px)"
            role="note"
          >
            Staging: a copy for testing. Nothing here affects production.
          </Text>
        )}
        {hasOutage && (
          <Text
            {...banner}
            py="0.4rem"
            bg="#ffd76a"
            pos="sticky"
            top="var(--app-shell-header-height, 0)"
            style={{ zIndex: 150 }}
            role="status"
          >
            The server does not respond. Reconnecting…
          </Text>
        )}
        <LeaveGuard />
        {/* A page of another environment is mounted again. */}
        <Suspense key={environment} fallback={<Loading />}>
          <Outlet />
        </Suspense>
        <Dialogs />
      </AppShell.Main>
      <Shortcuts account={session.data} />
      <SignInAgain account={session.data} />
      {/* Pages that are loaded by their addresses have no key of their own. */}
      <ScrollRestoration getKey={({ key, pathname }) => (key === 'default' ? pathname : key)} />
    </AppShell>
  )
}

const banner = { px: 'md', c: '#3b2a00', fz: '0.875rem', fw: 600, ta: 'center' } as const

function EnvironmentSwitch({ environment }: { environment: EnvironmentName }) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const isStill = useReducedMotion()
  return (
    <SegmentedControl
      size="xs"
      aria-label="Environment"
      value={environment}
      {...(environment === 'staging' && { color: '#ffcb3d', autoContrast: true })}
      // The theme's own rule for reduced motion leaves the text of the choices out.
      {...(isStill && { transitionDuration: 0 })}
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
          {title && (
            <Text px="0.75rem" c="dimmed" fz="0.78rem" fw={600}>
              {title}
            </Text>
          )}
          {items.map((item) => (
            <NavLink
              key={item.to}
              mih="2.4rem"
              bdrs="md"
              component={Link}
              to={item.to}
              label={item.title}
              leftSection={iconOf(item.to)}
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

/** Asks before another page replaces a form with changes that are not saved. */
function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      hasUnsavedChanges() && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    confirm({
      title: 'Leave without saving?',
      text: 'What you changed on this page is not saved yet. If you leave, it is lost.',
      verb: 'Discard changes',
      act: async () => blocker.proceed(),
    })
  }, [blocker])
  return null
}

const load = () => import('./palette.tsx')
const Palette = lazy(async () => ({ default: (await load()).Palette }))

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/**
 * The button that opens the palette, and its key: Ctrl-K or Cmd-K, also while typing. The palette is loaded when it is
 * first opened.
 */
function PaletteOpener({ account }: { account: Account }) {
  const [isOpen, setOpen] = useState(false)
  useWindowEvent('keydown', (event) => {
    // What is typed right after the key must find its field.
    if (event.key === 'Control' || event.key === 'Meta') void load()
    const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
    if (!isK || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (isOpen) setOpen(false)
    // A dialog keeps what was typed.
    else if (document.querySelector('[role="dialog"]') === null) setOpen(true)
  })
  return (
    <>
      <Button
        px="xs"
        c="dimmed"
        fw={400}
        bd="1px solid var(--line)"
        onClick={() => setOpen(true)}
        onPointerEnter={() => void load()}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <SearchIcon size={16} />
        <VisuallyHidden hiddenFrom="sm">Search</VisuallyHidden>
        <Text span inherit mx={8} visibleFrom="sm">
          Search
        </Text>
        <Kbd size="xs" visibleFrom="sm" aria-hidden>
          {isApple ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette account={account} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Between the two keys of a shortcut. */
const maxGapMs = 1200

/** Keyboard shortcuts outside of fields: g and a letter opens a page, ? lists all shortcuts. */
function Shortcuts({ account }: { account: Account }) {
  const navigate = useNavigate()
  const environment = useEnvironment()
  const startedAt = useRef(0)
  const items = navigationOf(account, environment).flatMap(([, group]) => group)

  useWindowEvent('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (event.key === '?') {
      openDialog({ title: 'Keyboard shortcuts', content: <ShortcutList items={items} /> })
      return
    }
    if (event.key === 'g') {
      startedAt.current = event.timeStamp
      return
    }
    const isSecond = event.timeStamp - startedAt.current < maxGapMs
    startedAt.current = 0
    const item = isSecond && items.find(({ key }) => key === event.key)
    if (item) {
      event.preventDefault()
      void navigate(item.to)
      return
    }
    // Pages mark their search field and their Add buttons, notices their Undo; the last notice is the newest.
    const marked = { '/': 'search', n: 'new', z: 'undo' }[event.key]
    const targets = document.querySelectorAll<HTMLElement>(`[data-shortcut="${marked}"]`)
    const target = [...targets].at(marked === 'undo' ? -1 : 0)
    if (!target) return
    event.preventDefault()
    if (marked === 'search') target.focus()
    else target.click()
  })
  return null
}

function ShortcutList({ items }: { items: { key: string; title: string }[] }) {
  const body = [
    ...items.map(({ key, title }) => [title, keysOf('g', key)]),
    ['Search everything', keysOf('Ctrl', 'k')],
    ['Search on this page', keysOf('/')],
    ['Add something on this page', keysOf('n')],
    ['Undo, while it is offered', keysOf('z')],
    ['Previous and next page of a list', keysOf('←', '→')],
    ['This list', keysOf('?')],
  ]
  return (
    <Stack>
      <Table data={{ body }} />
      <Note>They are off while you type in a field.</Note>
    </Stack>
  )
}

function keysOf(...keys: string[]) {
  return (
    <Group gap={4} justify="flex-end">
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Group>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

/** The element and all that it is in, from the inside out. */
type Chain = Element[]

/** Of elements that had the focus: the one that opened a dialog comes before those within it. */
const maxChains = 8
/** Dialogs return the focus themselves, a moment after they have closed. */
const delayMs = 80

/**
 * Keeps the focus near where it was, when what has it is removed or disabled: a row that was deleted, a form that was
 * saved, a notice that has ended. A browser would leave it nowhere, so that a screen reader starts at the top.
 */
function useKeptFocus(): void {
  useEffect(() => {
    const chains: Chain[] = []
    /** Has the focus, or had it until it was removed or disabled. */
    let current: Element | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const note = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return
      current = target
      chains.push(chainOf(target))
      if (chains.length > maxChains) chains.shift()
    }
    /** A click beside everything takes the focus away, too: that is not undone. */
    const release = ({ relatedTarget, target }: FocusEvent): void => {
      if (relatedTarget !== null || !document.hasFocus()) return
      setTimeout(() => {
        if (target === current && isFocusable(current)) current = undefined
      })
    }
    const restore = (): void => {
      if (document.activeElement !== document.body || !current) return
      // A button that is busy gets it back.
      if (current.isConnected && current.hasAttribute('data-loading')) return
      const target = isFocusable(current) ? current : nearest(chains)
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(restore, delayMs)
    })
    const attributeFilter = ['disabled', 'data-loading']
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter })
    addEventListener('focusin', note)
    addEventListener('focusout', release)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      removeEventListener('focusin', note)
      removeEventListener('focusout', release)
    }
  }, [])
}

const isFocusable = (element: Element | undefined): boolean =>
  element?.isConnected === true && !element.matches(':disabled')

function chainOf(element: Element): Chain {
  const chain: Chain = []
  for (let each: Element | null = element; each; each = each.parentElement) chain.push(each)
  return chain
}

/** In the part of the page that the latest of them was in, if it is still there: what asks for the focus, or the heading. */
function nearest(chains: Chain[]): HTMLElement | undefined {
  for (const chain of chains.toReversed()) {
    for (const each of chain) {
      if (!each.isConnected || !each.matches('section, main, [role="dialog"]')) continue
      const target = each.querySelector<HTMLElement>('[data-autofocus]')
      if (target) return target
      const heading = each.querySelector<HTMLElement>('h1, h2, h3, h4, h5, h6')
      if (!heading) continue
      if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1
      return heading
    }
  }
  return undefined
}
