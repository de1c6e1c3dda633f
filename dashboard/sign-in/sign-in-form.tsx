// Signing in, on the sign-in page and over a page whose session has ended: by password, by passkey where the browser has
// them, or by the identity provider.

import { Button, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import {
  CodeField,
  checkPassword,
  EmailField,
  Form,
  PasswordField,
  Problem,
  useForm,
} from '../components/form.tsx'
import { explain, isCode } from '../platform/api.ts'
import {
  type Account,
  hasPasskeys,
  leaveForProvider,
  signIn,
  signInByPasskey,
} from '../platform/session.ts'

interface SignInFormProps {
  /** Of the account whose session has ended; without it the user types an address. */
  email?: string
  onSignedIn: (account: Account) => Promise<unknown>
  aside?: ReactNode
}

export function SignInForm({ aside, email, onSignedIn }: SignInFormProps) {
  const [needsCode, setNeedsCode] = useState(false)
  const { field, form } = useForm({
    initial: { email: email ?? '', password: '', code: '' },
    checks: { password: checkPassword },
    codes: { invalid_credentials: { field: 'password', message: 'Incorrect email or password.' } },
    async send(values) {
      try {
        const { code, email, password } = values
        await onSignedIn(await signIn(email.trim(), password, needsCode ? code.trim() : ''))
      } catch (error) {
        if (needsCode || !isCode(error, 'second_factor_required')) throw error
        setNeedsCode(true)
      }
    },
  })
  const isFixed = email !== undefined
  return (
    <Form verb="Sign in" busyVerb="Signing in…" aside={aside} isWide={!aside} {...form}>
      <EmailField {...field('email')} readOnly={isFixed} />
      <PasswordField
        {...field('password')}
        label="Password"
        autoComplete="current-password"
        data-autofocus={isFixed}
      />
      {needsCode && <CodeField {...field('code')} autoFocus />}
    </Form>
  )
}

export function PasskeyButton({ onSignedIn }: Pick<SignInFormProps, 'onSignedIn'>) {
  if (!hasPasskeys()) return null
  const signIn = async () => await onSignedIn(await signInByPasskey())
  return <SignInButton start={signIn}>Sign in with a passkey</SignInButton>
}

interface ProviderButtonProps {
  /** Of the provider. */
  name: string
  /** The path to open afterwards. */
  next?: string
  /** The token of an invitation. */
  invitation?: string
}

export function ProviderButton({ name, ...start }: ProviderButtonProps) {
  const verb = start.invitation === undefined ? 'Sign in' : 'Continue'
  return <SignInButton start={() => leaveForProvider(start)}>{`${verb} with ${name}`}</SignInButton>
}

function SignInButton({ children, start }: { start: () => Promise<unknown>; children: string }) {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()

  function click(): void {
    setPending(true)
    setProblem(undefined)
    start()
      .catch((error) => setProblem(explain(error)))
      .finally(() => setPending(false))
  }

  return (
    <Stack gap="sm">
      <Button loading={isPending} onClick={click}>
        {children}
      </Button>
      <Problem text={problem} />
    </Stack>
  )
}
