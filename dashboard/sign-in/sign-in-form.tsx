// The form to sign in: on the sign-in page, and over a page whose session has ended.
import type { ReactNode } from 'react'
import { checkEmail, EmailField, PasswordField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { type Account, signIn } from '../platform/session.ts'

interface SignInFormProps {
  /** Of the account whose session has ended; without it the user types an address. */
  email?: string
  onSignedIn: (account: Account) => Promise<unknown>
  aside?: ReactNode
}

export function SignInForm({ aside, email, onSignedIn }: SignInFormProps) {
  const { field, form } = useForm({
    initial: { email: email ?? '', password: '' },
    checks: {
      email: checkEmail,
      password: (value) => (value === '' ? 'Enter your password.' : undefined),
    },
    codes: { invalid_credentials: { field: 'password', message: 'Incorrect email or password.' } },
    async send(values) {
      await onSignedIn(await signIn(values.email.trim(), values.password))
    },
  })
  const isFixed = email !== undefined
  return (
    <Form verb="Sign in" busyVerb="Signing in…" aside={aside} {...form}>
      <EmailField {...field('email')} readOnly={isFixed} />
      <PasswordField
        {...field('password')}
        label="Password"
        autoComplete="current-password"
        data-autofocus={isFixed}
      />
    </Form>
  )
}
