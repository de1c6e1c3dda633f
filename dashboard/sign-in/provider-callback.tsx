// The page that the identity provider sends the browser back to: it finishes what was started, or says why it cannot.
import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Answer, ManagementError } from '../../client/management-client.ts'
import { CodeField, Form, useForm } from '../components/form.tsx'
import { call, explain, isCode } from '../platform/api.ts'
import { noteSession } from '../platform/session.ts'
import { GoOn, View } from './view.tsx'

interface Finish {
  query: string
  /** Opens a path of the dashboard; never resolves. */
  open: (path: string) => Promise<never>
}

/** Throws when the server cannot be reached: the same can be tried again. */
export async function finish({ open, query }: Finish): Promise<ReactNode> {
  if (query === '') return <Failed {...expired} />
  // As the server marks the state of a flow that connects an identity.
  const isForAccount = new URLSearchParams(query).get('state')?.startsWith('connect.') ?? false
  const body = { query }
  try {
    if (!isForAccount) return await open(signedIn(await call('POST /session/provider', { body })))
    await call('POST /account/identities', { body })
    return await open('/account')
  } catch (error) {
    if (isCode(error, 'unreachable')) throw error
    if (isCode(error, 'second_factor_required')) return <CodeForm open={open} />
    return <Failed {...failureOf(error)} isForAccount={isForAccount} />
  }
}

function signedIn({ next }: Answer<'POST /session/provider'>): string {
  noteSession()
  return next
}

interface Failure {
  title: string
  lead: string
  advice?: string
}

const expired: Failure = {
  title: 'This sign-in cannot be continued',
  lead: 'It was already used, took longer than ten minutes, or was started in another browser.',
  advice: 'Start again.',
}

/** By the codes of the API. A message of the API names the provider. */
const failures: Record<string, (message: string) => Failure> = {
  sign_in_failed: () => expired,
  not_signed_in: () => expired,
  sign_in_cancelled: (lead) => ({ title: 'Sign-in cancelled', lead }),
  provider_unavailable: (lead) => ({
    title: 'The identity provider does not respond',
    lead,
    advice: 'Your password and your passkeys work as before.',
  }),
  identity_not_allowed: (lead) => ({
    title: 'This identity cannot be used here',
    lead,
    advice: 'Choose another account at the provider, or ask an operator.',
  }),
  identity_not_connected: () => ({
    title: 'No account for this identity',
    lead: 'The identity that you have signed in with is not connected to an account here.',
    advice:
      'If you have an account, sign in with your password and connect the identity under Account. Otherwise ask an operator for an invitation.',
  }),
  identity_taken: () => ({
    title: 'The identity was not connected',
    lead: 'It is connected to another account. Remove it there first.',
  }),
  link_not_valid: () => ({
    title: 'This invitation no longer works',
    lead: 'It was already used, or it has expired.',
    advice: 'Ask an operator for a new link.',
  }),
}

function failureOf(error: unknown): Failure {
  const { code = '', message = '' } = error instanceof ManagementError ? error : {}
  const failure = failures[code]
  return failure ? failure(message) : { title: 'Sign-in failed', lead: explain(error) }
}

function Failed({ advice, isForAccount, lead, title }: Failure & { isForAccount?: boolean }) {
  return (
    <View title={title} lead={lead}>
      {advice && <Text>{advice}</Text>}
      <GoOn href={isForAccount ? '/account' : '/sign-in'}>
        {isForAccount ? 'Back to Account' : 'Back to sign-in'}
      </GoOn>
    </View>
  )
}

function CodeForm({ open }: Pick<Finish, 'open'>) {
  const { field, form } = useForm({
    initial: { code: '' },
    codes: { sign_in_failed: { field: 'code', message: 'This took too long. Sign in again.' } },
    async send({ code }) {
      const body = { code: code.trim() }
      await open(signedIn(await call('POST /session/provider/code', { body })))
    },
  })
  return (
    <View title="Two-factor authentication" lead="Your account requires a code, too.">
      <Form verb="Sign in" busyVerb="Signing in…" isWide {...form}>
        <CodeField {...field('code')} autoFocus />
      </Form>
      <Anchor href="/sign-in" size="sm">
        Back to sign-in
      </Anchor>
    </View>
  )
}
