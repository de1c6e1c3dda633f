// The entry of the pages before the dashboard: sign-in, and the pages of one-time links. The token after the # is moved
// from the address bar to the state of the history entry, so that a reload does not lose it.
import { Alert, Anchor, Button, Checkbox, Code, Loader, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import {
  CodeField,
  checkName,
  EmailField,
  Form,
  NewPasswordField,
  TextField,
  useForm,
} from '../components/form.tsx'
import { call, isCode } from '../platform/api.ts'
import { exactly } from '../platform/formats.ts'
import {
  type Account,
  callbackPath,
  findAccount,
  findProvider,
  noteSession,
} from '../platform/session.ts'
import { renderApp } from '../render-app.tsx'
import { PasskeyButton, ProviderButton, SignInForm } from './sign-in-form.tsx'
import { Frame, GoOn, View } from './view.tsx'

const confirmEmailPath = '/confirm-email'

type State = 'open' | 'busy' | 'failed' | 'confirmed' | 'invalid'

/**
 * The page of a link that confirms an email address. It confirms when the button is pressed, not when it is opened: mail
 * servers open links, too.
 */
function ConfirmEmail({ token }: { token: string | undefined }) {
  const [state, setState] = useState<State>(token === undefined ? 'invalid' : 'open')

  function confirm(): void {
    setState('busy')
    call('POST /email-confirmation', { body: { token: token ?? '' } }).then(
      () => setState('confirmed'),
      (error) => {
        const codes = ['link_not_valid', 'invalid_body', 'email_taken']
        setState(codes.some((code) => isCode(error, code)) ? 'invalid' : 'failed')
      },
    )
  }

  if (state === 'confirmed') {
    return (
      <View title="Email address confirmed" lead="Sign in with it. Notices are sent to it.">
        <GoOn>Continue</GoOn>
      </View>
    )
  }
  if (state === 'invalid') {
    return (
      <View
        title="This link does not work"
        lead="It was already used, has expired, or is incomplete."
      >
        <Text>Sign in and request a new link under Account.</Text>
        <GoOn>Continue</GoOn>
      </View>
    )
  }
  return (
    <View
      title="Confirm your email address"
      lead="Your account uses it to sign in and for notices."
    >
      {state === 'failed' && (
        <Alert color="red">The server does not respond. Try again in a moment.</Alert>
      )}
      <Button variant="filled" w="fit-content" loading={state === 'busy'} onClick={confirm}>
        Confirm
      </Button>
      <Text size="sm" c="dimmed">
        If you did not enter the address here, close this page.
      </Text>
    </View>
  )
}

function SignInPage() {
  const [view, setView] = useState<ReactNode>(waiting)
  const load = useCallback(() => {
    setView(waiting)
    findView(setView).then(setView, () => setView(<Unreachable retry={load} />))
  }, [])

  useEffect(load, [load])
  // Another link pasted into the same tab changes only the part behind the #.
  useWindowEvent('hashchange', load)
  // The browser may restore this page with its old state.
  useWindowEvent('pageshow', ({ persisted }) => {
    if (persisted) load()
  })

  return <Frame>{view}</Frame>
}

const waiting = <Loader role="status" aria-label="Loading" display="block" m="20vh auto 0" />

/** `show` replaces the view when the link turns out to be invalid. */
async function findView(show: (view: ReactNode) => void): Promise<ReactNode> {
  const path = location.pathname
  if (path === confirmEmailPath) {
    const token = takeToken()
    return <ConfirmEmail key={token} token={token} />
  }
  if (path === callbackPath) return await finishAtProvider()
  if (!isLinkPage(path)) {
    const [account, provider] = await Promise.all([findAccount(), findProvider()])
    if (account) await openDashboard()
    return provider.isSetUp ? <SignIn provider={provider.name} /> : <NotSetUp />
  }
  const token = takeToken()
  const [link, current, provider] = await Promise.all([
    token && findLink(token),
    findAccount(),
    path === invitationPath ? findProvider() : undefined,
  ])
  if (!token) return <BadLink path={path} current={current} isIncomplete />
  const invalid = <BadLink path={path} current={current} />
  if (!link) return invalid
  return (
    <LinkForm
      key={token}
      link={link}
      token={token}
      current={current}
      provider={provider?.name}
      onInvalid={() => show(invalid)}
      onSignedIn={openDashboard}
    />
  )
}

let query: string | undefined

/** The query holds a code: it does not stay in the address bar. Sent again only if there was no response. */
async function finishAtProvider(): Promise<ReactNode> {
  query ??= location.search.slice(1)
  history.replaceState(null, '', callbackPath)
  const { finish } = await import('./provider-callback.tsx')
  return await finish({ query, open: openPath })
}

function takeToken(): string | undefined {
  if (location.hash.length > 1) {
    history.replaceState({ token: location.hash.slice(1) }, '', location.pathname)
  }
  const { token } = (history.state ?? {}) as { token?: unknown }
  return typeof token === 'string' ? token : undefined
}

/** Undefined for a link that cannot be used. */
async function findLink(token: string): Promise<Link | undefined> {
  try {
    return await call('POST /links/check', { body: { token } })
  } catch (error) {
    if (!isCode(error, 'link_not_valid') && !isCode(error, 'invalid_body')) throw error
    return undefined
  }
}

/** Never resolves, so that no form is sent again before the next page opens. */
function openDashboard(): Promise<never> {
  return openPath(requestedPath())
}

function openPath(path: string): Promise<never> {
  location.replace(safeAddress(path, location.origin))
  return new Promise(() => {})
}

/** The path that `next` asks for. */
const requestedPath = (): string => new URLSearchParams(location.search).get('next') ?? '/'

/** By the parameter `after`, which the dashboard sets. */
const notes = new Map([
  ['ended', 'Your session has ended. Sign in again.'],
  ['left', 'You have signed out.'],
])

/** Loaded on demand: it is as large as the rest of the page. */
const CopyBlock = lazy(async () => ({
  default: (await import('../components/copy.tsx')).CopyBlock,
}))

/** Of the provider, which takes paths without an origin. */
function providerNext(): string {
  return safeAddress(requestedPath(), location.origin).slice(location.origin.length)
}

function SignIn({ provider }: { provider: string | undefined }) {
  const [isExpanded, setExpanded] = useState(false)
  const note = notes.get(new URLSearchParams(location.search).get('after') ?? '')
  return (
    <View title="Sign in">
      {note && <Alert color="leaf">{note}</Alert>}
      <SignInForm onSignedIn={openDashboard} />
      <Stack gap="sm" mt="md">
        {provider !== undefined && <ProviderButton name={provider} next={providerNext()} />}
        <PasskeyButton onSignedIn={openDashboard} />
      </Stack>
      <Stack gap="xs" mt="md">
        <details onToggle={(event) => setExpanded(event.currentTarget.open)}>
          {question('Forgot your password?')}
          <Stack gap="xs" mt="0.5rem">
            <Text>Ask an operator for a link to set a new one.</Text>
            <Text>Operators create this link on the server, in the folder of the program:</Text>
            {isExpanded && (
              <Suspense>
                <CopyBlock
                  what="the command"
                  text="./animal-store accounts reset you@example.com"
                />
              </Suspense>
            )}
          </Stack>
        </details>
        <details>
          {question('No account yet?')}
          <Text mt="0.5rem">Ask an operator for an invitation.</Text>
        </details>
      </Stack>
    </View>
  )
}

const question = (text: string) => (
  <Text component="summary" inherit c="var(--mantine-color-anchor)" style={{ cursor: 'pointer' }}>
    {text}
  </Text>
)

function NotSetUp() {
  return (
    <View title="Not set up yet" lead="The first account, an operator, does not exist yet.">
      <Text>
        Open the link that creates it. When the program starts, it prints the link, or the path of
        the file that contains it. A service prints it in its log.
      </Text>
    </View>
  )
}

function Unreachable({ retry }: { retry: () => void }) {
  return (
    <View title="The server does not respond" lead="Nothing is lost, and your link remains valid.">
      <Text>Check that the program is running and that this device is connected.</Text>
      <Button variant="filled" onClick={retry} w="fit-content">
        Try again
      </Button>
    </View>
  )
}

/**
 * Returns the whole address. `next` may only be a path of this origin. Browsers read more than two slashes as
 * another host, so the address is checked as they parse it.
 */
function safeAddress(next: string, origin: string): string {
  const home = `${origin}/`
  if (!next.startsWith('/') || next.includes('\\') || !URL.canParse(next, home)) return home
  const address = new URL(next, home)
  return address.origin === origin && !address.pathname.startsWith('//') ? address.href : home
}

/** What a one-time link is for, and who may use it. */
type Link = Answer<'POST /links/check'>

const headings: Record<Link['kind'], { title: string; lead: string }> = {
  set_up: {
    title: 'Create the first account',
    lead: 'It is the operator account: it manages the store and invites others.',
  },
  invitation: { title: 'Create your account', lead: 'You are invited to this Animal Store.' },
  password: {
    title: 'Set a new password',
    lead: 'All other sessions of your account will be signed out.',
  },
}

const invitationPath = '/invitation'

/** The pages of links, and what to do if the link cannot be used. */
const instructions = new Map([
  [
    '/set-up',
    'The program prints a set-up link at every start until an account exists. Restart the program and open the new link.',
  ],
  [invitationPath, 'Ask an operator for a new link.'],
  ['/password', 'Ask an operator for a new link.'],
])

const isLinkPage = (path: string): boolean => instructions.has(path)

interface LinkFormProps {
  link: Link
  token: string
  /** The account that is signed in already. */
  current: Account | undefined
  /** The name of the identity provider, for an invitation. */
  provider: string | undefined
  /** The link was used or has expired since the page was opened. */
  onInvalid: () => void
  onSignedIn: () => Promise<unknown>
}

function LinkForm({ current, link, onInvalid, onSignedIn, provider, token }: LinkFormProps) {
  const isPassword = link.kind === 'password'
  const [needsCode, setNeedsCode] = useState(false)
  const { field, form, set, values } = useForm({
    initial: { name: '', email: link.email ?? '', password: '', code: '', revokeTokens: true },
    checks: { name: checkName(100) },
    codes: {
      email_taken: {
        field: 'email',
        message: 'An account with this address already exists. Use another address.',
      },
    },
    async send({ code, email, name, password, revokeTokens }) {
      const body = { token, password, email: email.trim(), name: name.trim() }
      const factor = needsCode && { code: code.trim() }
      try {
        if (link.kind === 'set_up') await call('POST /set-up', { body })
        else if (link.kind === 'invitation') await call('POST /invitations/accept', { body })
        else await call('POST /password', { body: { token, password, ...factor, revokeTokens } })
      } catch (error) {
        if (!needsCode && isCode(error, 'second_factor_required')) return setNeedsCode(true)
        if (!isCode(error, 'link_not_valid')) throw error
        return onInvalid()
      }
      noteSession()
      await onSignedIn()
    },
  })
  const isFixed = link.email !== null
  return (
    <View {...headings[link.kind]}>
      {current && current.email !== link.email && (
        <Text>
          You are signed in as {current.name} ({current.email}).{' '}
          {isPassword ? 'This link is for another account' : 'This link creates another account'},
          which will be signed in instead. <Anchor href="/">Stay signed in as you are</Anchor>
        </Text>
      )}
      <Form
        verb={isPassword ? 'Set password' : 'Create account'}
        busyVerb={isPassword ? 'Setting password…' : 'Creating account…'}
        isWide
        {...form}
      >
        {!isPassword && <TextField {...field('name')} label="Your name" autoComplete="name" />}
        <EmailField
          {...field('email')}
          readOnly={isFixed}
          description={
            isPassword
              ? undefined
              : isFixed
                ? 'The invitation is for this address.'
                : 'You sign in with it. No mail is sent to it.'
          }
        />
        <NewPasswordField {...field('password')} label={isPassword ? 'New password' : 'Password'} />
        {isPassword && (
          <Checkbox
            label="Revoke all access tokens"
            description="Keep them only if nobody else can have used your account."
            checked={values.revokeTokens}
            onChange={({ currentTarget }) => set({ revokeTokens: currentTarget.checked })}
          />
        )}
        {needsCode && <CodeField {...field('code')} autoFocus />}
      </Form>
      {provider !== undefined && <ProviderButton name={provider} invitation={token} />}
      <Text size="sm" c="dimmed">
        The link works once, until <time dateTime={link.expiresAt}>{exactly(link.expiresAt)}</time>.
      </Text>
    </View>
  )
}

interface BadLinkProps {
  path: string
  current: Account | undefined
  /** The page was opened without the token. Otherwise the link was used, has expired, or never existed. */
  isIncomplete?: boolean
}

function BadLink({ current, isIncomplete = false, path }: BadLinkProps) {
  const missing = (
    <>
      The part from <Code>#</Code> on is missing.
    </>
  )
  const question =
    isIncomplete || path !== '/password' ? 'Already have an account?' : 'Already set your password?'
  return (
    <View
      title={isIncomplete ? 'This link is incomplete' : 'This link no longer works'}
      lead={isIncomplete ? missing : 'It was already used, or it has expired.'}
    >
      {isIncomplete && <Text>Copy the whole link and open it again.</Text>}
      <Text>
        {isIncomplete && 'No longer have the link? '}
        {instructions.get(path)}
      </Text>
      <Text>
        {current
          ? `You are signed in as ${current.name} (${current.email}).`
          : `${question} Sign in.`}
      </Text>
      <GoOn>{current ? 'Continue' : 'Sign in'}</GoOn>
    </View>
  )
}

renderApp(<SignInPage />)
