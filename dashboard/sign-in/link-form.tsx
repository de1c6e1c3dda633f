// The page of a one-time link: its form, or why the link cannot be used and what to do.
import { Anchor, Button, Checkbox, Code, Text } from '@mantine/core'
import { useState } from 'react'
import type { Answer, Body } from '../../client/management-client.ts'
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
import { type Account, noteSession } from '../platform/session.ts'
import { ProviderButton } from './sign-in-form.tsx'
import { View } from './view.tsx'

export type Link = Answer<'POST /links/check'>

const headings: Record<Link['kind'], { title: string; lead: string }> = {
  set_up: {
    title: 'Create the first account',
    lead: 'It is the operator account: it manages the store and invites others.',
  },
  invitation: {
    title: 'Create your account',
    lead: 'You are invited to this Animal Store.',
  },
  password: {
    title: 'Set a new password',
    lead: 'All other sessions of your account will be signed out.',
  },
}

export const invitationPath = '/invitation'

/** The pages of links, and what to do if the link cannot be used. */
const instructions = new Map([
  [
    '/set-up',
    'The program prints a set-up link at every start until an account exists. Restart the program and open the new link.',
  ],
  [invitationPath, 'Ask an operator for a new link.'],
  ['/password', 'Ask an operator for a new link.'],
])

export const isLinkPage = (path: string): boolean => instructions.has(path)

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

export function LinkForm({ current, link, onInvalid, onSignedIn, provider, token }: LinkFormProps) {
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
      try {
        const body = { token, password, email: email.trim(), name: name.trim() }
        await redeemLink(link.kind, body, { code: needsCode ? code.trim() : '', revokeTokens })
      } catch (error) {
        if (!needsCode && isCode(error, 'second_factor_required')) {
          setNeedsCode(true)
          return
        }
        if (!isCode(error, 'link_not_valid')) throw error
        onInvalid()
        return
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

async function redeemLink(
  kind: Link['kind'],
  body: Body<'POST /set-up'>,
  { code, revokeTokens }: { code: string; revokeTokens: boolean },
): Promise<unknown> {
  const { password, token } = body
  if (kind === 'set_up') return await call('POST /set-up', { body })
  if (kind === 'invitation') return await call('POST /invitations/accept', { body })
  return await call('POST /password', {
    body: { token, password, ...(code && { code }), revokeTokens },
  })
}

interface BadLinkProps {
  path: string
  current: Account | undefined
  /** The page was opened without the token. Otherwise the link was used, has expired, or never existed. */
  isIncomplete?: boolean
}

export function BadLink({ current, isIncomplete = false, path }: BadLinkProps) {
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
      <Button component="a" href="/" w="fit-content">
        {current ? 'Continue' : 'Sign in'}
      </Button>
    </View>
  )
}
