// Account: profile, password and sign-in, sessions, access tokens, appearance.
import { Alert, Group, Paper, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { ActionButton } from '../components/action-buttons.tsx'
import { useAnnounce } from '../components/announcements.tsx'
import {
  CurrentPasswordField,
  checkEmail,
  checkName,
  checkPassword,
  EmailField,
  TextField,
  wrongPassword,
} from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Page, Section } from '../components/page.tsx'
import { SettingsParts } from '../components/settings-layout.tsx'
import { Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { accountQuery, useAccount } from '../platform/use-account.ts'
import { Appearance } from '../shell/account-menu.tsx'
import { IdentitiesSection } from './identities-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { TokensSection } from './tokens-section.tsx'

// Whether the account's email address is confirmed, and the address that it changes to.

const changed = { queryKey: ['account', 'email-confirmation'] }

/** `email` is the saved address. */
function EmailConfirmation({ email }: { email: string }) {
  const { role } = useAccount()
  const { data } = useGet('GET /account/email-confirmation')
  const send = useChange('POST /account/email-confirmation', changed)
  const cancel = useChange('DELETE /account/email-change', changed)
  if (!data) return null
  const { canSend, confirmedAt, pendingEmail, sentAt } = data
  if (pendingEmail !== null) {
    return (
      <Alert color="yellow" title="New email address not confirmed">
        <Text size="sm">
          Open the link that was sent to {pendingEmail} to change your email address. Until then you
          sign in with {email}.
        </Text>
        <Group mt="xs">
          <ActionButton
            act={() => cancel.mutateAsync({})}
            done={`Your email address stays ${email}.`}
          >
            Cancel change
          </ActionButton>
        </Group>
      </Alert>
    )
  }
  if (confirmedAt !== null) {
    return (
      <Text size="sm" c="dimmed">
        Email address confirmed <Ago time={confirmedAt} />.
      </Text>
    )
  }
  return (
    <Alert color="yellow" title="Email address not confirmed">
      <Text size="sm">
        {noticesOf(data, role)}
        {sentAt !== null && (
          <>
            {' '}
            A link was sent <Ago time={sentAt} />.
          </>
        )}
      </Text>
      {canSend && (
        <Group mt="xs">
          <ActionButton act={() => send.mutateAsync({})} done={`A link was sent to ${email}.`}>
            Send confirmation link
          </ActionButton>
        </Group>
      )}
    </Alert>
  )
}

/** What follows from an address that is not confirmed. */
function noticesOf(
  { canSend, sentAt }: Answer<'GET /account/email-confirmation'>,
  role: Account['role'],
): string {
  const notices = 'Notices about your domains are sent to confirmed addresses only.'
  if (sentAt !== null || canSend) return notices
  const todo = role === 'operator' ? 'set SMTP_URL and restart it' : 'ask an operator'
  return `${notices} This server cannot send mail: ${todo}.`
}

export function Component() {
  const account = useAccount()
  const confirmation = useGet('GET /account/email-confirmation')
  return (
    <Page title="Account" lead={leadOf(account)}>
      {/* Its height is known only then, and nothing moves what is below it. */}
      {confirmation.isPending ? (
        <Loading rows={3} height={200} />
      ) : (
        <Sections email={account.email} />
      )}
    </Page>
  )
}

const leadOf = ({ email, plan, role }: Account): string =>
  role === 'operator'
    ? `You are signed in as ${email}, an operator: you can see and change everything.`
    : `You are signed in as ${email}, a member on the ${plan} plan. An operator can change that.`

const parts = {
  profile: 'Profile',
  'sign-in': 'Password and sign-in',
  sessions: 'Sessions',
  tokens: 'Access tokens',
  appearance: 'Appearance',
}

function Sections({ email }: { email: string }) {
  return (
    <SettingsParts label="Account" parts={parts}>
      <Section
        id="profile"
        title={parts.profile}
        lead="Your name as others see it, and where mail is sent."
      >
        <Panel>
          <ProfileForm />
          <EmailConfirmation email={email} />
        </Panel>
      </Section>
      <Section
        id="sign-in"
        title={parts['sign-in']}
        lead="How you prove who you are. A passkey or a second factor protects you when a password is stolen."
      >
        <Stack gap="lg">
          <Section level={3} title="Password">
            <Panel>
              <PasswordForm />
            </Panel>
          </Section>
          <PasskeysSection level={3} />
          <SecondFactorSection level={3} />
          <IdentitiesSection />
        </Stack>
      </Section>
      <SessionsSection />
      <TokensSection />
      <Section
        id="appearance"
        title={parts.appearance}
        lead="For this browser. System follows the device."
      >
        <Panel>
          <Appearance />
        </Panel>
      </Section>
    </SettingsParts>
  )
}

function Panel({ children }: { children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Stack maw={440}>{children}</Stack>
    </Paper>
  )
}

/** A change of the email address requires the password, and takes effect when the new one is confirmed. */
function ProfileForm() {
  const account = useAccount()
  const change = useChange('PATCH /account', { queryKey: ['account', 'email-confirmation'] })
  const client = useQueryClient()
  const announce = useAnnounce()
  const { field, form, set, values } = useForm({
    initial: { name: account.name, email: account.email, currentPassword: '' },
    labels: { name: 'Name', email: 'Email' },
    checks: {
      name: checkName(100),
      email: checkEmail,
      currentPassword: (password): string | undefined =>
        isOtherEmail ? checkPassword(password) : undefined,
    },
    codes: {
      // Without a mail server, or with one that does not accept the mail.
      conflict: { field: 'email' },
      unavailable: { field: 'email' },
      email_taken: { field: 'email' },
      ...wrongPassword,
    },
    async send({ currentPassword, email, name }) {
      const saved = await change.mutateAsync({
        body: {
          ...(name !== account.name && { name }),
          ...(email !== account.email && { email, currentPassword }),
        },
      })
      client.setQueryData(accountQuery.queryKey, saved)
      set({ name: saved.name, email: saved.email, currentPassword: '' })
      announce(
        saved.email === email
          ? 'Your profile is saved.'
          : `A link was sent to ${email}. Open it to change your email address.`,
      )
    },
  })
  const isOtherEmail = values.email !== account.email
  return (
    <Form {...form} label="Profile" verb="Save">
      <TextField {...field('name')} label="Name" autoComplete="name" />
      <EmailField {...field('email')} />
      {isOtherEmail && (
        <CurrentPasswordField
          {...field('currentPassword')}
          description="Required to change the email address."
        />
      )}
    </Form>
  )
}
