// The form to sign in: on the sign-in page, and over a page whose session has ended.
import { type ReactNode, useState } from 'react'
import { CodeField, checkCode } from '../components/code-field.tsx'
import { checkEmail, checkPassword, EmailField, PasswordField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { isCode } from '../platform/api.ts'
import { type Account, signIn } from '../platform/session.ts'

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
    checks: {
      email: checkEmail,
      password: checkPassword,
      ...(needsCode && { code: checkCode }),
    },
    codes: {
      invalid_credentials: { field: 'password', message: 'Incorrect email or password.' },
      invalid_code: { field: 'code', message: 'Incorrect code, or it was already used.' },
    },
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
