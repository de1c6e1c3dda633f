// Account: the profile, the password, the sessions, the access tokens, and the appearance.
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import {
  checkEmail,
  checkNewPassword,
  EmailField,
  NewPasswordField,
  PasswordField,
  TextField,
} from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'
import { useForm } from '../components/use-form.ts'
import { useAccount } from '../platform/use-account.ts'
import { Appearance } from '../shell/account-menu.tsx'
import { useChangePassword, useChangeProfile } from './account-queries.ts'
import { SessionsSection } from './sessions-section.tsx'
import { TokensSection } from './tokens-section.tsx'

export function Component() {
  const { plan, role } = useAccount()
  return (
    <Page
      title="Account"
      lead={
        role === 'operator'
          ? 'You are an operator: you can see and change everything.'
          : `You are a member on the ${plan} plan. An operator can change that.`
      }
    >
      <Stack gap="xl">
        <Section id="profile" title="Profile">
          <ProfileForm />
        </Section>
        <Section id="password" title="Password">
          <PasswordForm />
        </Section>
        <SessionsSection />
        <TokensSection />
        <Section id="appearance" title="Appearance">
          <Stack maw={360}>
            <Text size="sm">For this browser. System follows the device.</Text>
            <Appearance />
          </Stack>
        </Section>
      </Stack>
    </Page>
  )
}

function Section({ children, id, title }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" mb="sm" id={id}>
        {title}
      </Title>
      <Paper withBorder p="md">
        <Stack maw={440}>{children}</Stack>
      </Paper>
    </section>
  )
}

const wrongPassword = {
  invalid_credentials: { field: 'currentPassword', message: 'Incorrect password.' },
} as const

/** A change of the email address requires the password. */
function ProfileForm() {
  const account = useAccount()
  const change = useChangeProfile()
  const announce = useAnnounce()
  const { field, form, set, values } = useForm({
    initial: { name: account.name, email: account.email, currentPassword: '' },
    checks: { email: checkEmail },
    codes: { email_taken: { field: 'email' }, ...wrongPassword },
    async send({ currentPassword, email, name }) {
      const { name: savedName, email: savedEmail } = await change.mutateAsync({
        ...(name === account.name ? {} : { name }),
        ...(email === account.email ? {} : { email, currentPassword }),
      })
      set({ name: savedName, email: savedEmail, currentPassword: '' })
      announce({ text: 'Your profile is saved.' })
    },
  })
  const isOtherEmail = values.email !== account.email
  return (
    <Form
      {...form}
      verb="Save"
      labelledBy="profile"
      isDisabled={values.name === account.name && !isOtherEmail}
    >
      <TextField {...field('name')} label="Name" autoComplete="name" />
      <EmailField {...field('email')} />
      {isOtherEmail && (
        <PasswordField
          {...field('currentPassword')}
          label="Current password"
          description="Required to change the email address."
          autoComplete="current-password"
        />
      )}
    </Form>
  )
}

/** Signs out all other sessions. */
function PasswordForm() {
  const { email } = useAccount()
  const change = useChangePassword()
  const announce = useAnnounce()
  const { field, form, set, values } = useForm({
    initial: { currentPassword: '', newPassword: '' },
    checks: { newPassword: checkNewPassword },
    codes: wrongPassword,
    async send(passwords) {
      await change.mutateAsync(passwords)
      set({ currentPassword: '', newPassword: '' })
      announce({ text: 'Your password is changed. All other sessions are signed out.' })
    },
  })
  return (
    <Form
      {...form}
      verb="Change password"
      labelledBy="password"
      isDisabled={values.currentPassword === '' || values.newPassword === ''}
    >
      {/* Tells password managers the account of the password. */}
      <input type="text" hidden readOnly autoComplete="username" value={email} />
      <PasswordField
        {...field('currentPassword')}
        label="Current password"
        autoComplete="current-password"
      />
      <NewPasswordField {...field('newPassword')} label="New password" />
    </Form>
  )
}
