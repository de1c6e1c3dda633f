// The password of the account: changed with the current one, or set for an account that has none.
import { Stack, Text } from '@mantine/core'
import { useAnnounce } from '../components/announcements.tsx'
import {
  CurrentPasswordField,
  checkNewPassword,
  NewPasswordField,
  wrongPassword,
} from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { useAccount } from '../platform/use-account.ts'

const sessions = { queryKey: ['account', 'sessions'] }

/** Whether the account has a password; true until that is known. */
export const useHasPassword = (): boolean =>
  useGet('GET /account/identities').data?.hasPassword ?? true

/** What those without a password are told where it is requested for a change. */
export const passwordFirst = 'Set a password first.'

export function PasswordForm() {
  return useHasPassword() ? <ChangePassword /> : <FirstPassword />
}

/** For password managers: the account of the password. */
function AccountName() {
  const { email } = useAccount()
  return <input type="text" hidden readOnly autoComplete="username" value={email} />
}

/** Signs out all other sessions. */
function ChangePassword() {
  const change = useChange('PUT /account/password', sessions)
  const announce = useAnnounce()
  const { field, form, set, values } = useForm({
    initial: { currentPassword: '', newPassword: '' },
    checks: { newPassword: checkNewPassword },
    codes: wrongPassword,
    async send(body) {
      await change.mutateAsync({ body })
      set({ currentPassword: '', newPassword: '' })
      announce('Your password is changed. All other sessions are signed out.')
    },
  })
  return (
    <Form
      {...form}
      label="Password"
      verb="Change password"
      isDisabled={values.currentPassword === '' || values.newPassword === ''}
    >
      <AccountName />
      <CurrentPasswordField {...field('currentPassword')} />
      <NewPasswordField {...field('newPassword')} label="New password" />
    </Form>
  )
}

/** Of an account that was created by the identity provider. */
function FirstPassword() {
  const change = useChange('POST /account/password', sessions, {
    queryKey: ['account', 'identities'],
  })
  const announce = useAnnounce()
  const { field, form, values } = useForm({
    initial: { newPassword: '' },
    checks: { newPassword: checkNewPassword },
    async send(body) {
      await change.mutateAsync({ body })
      announce('Your password is set. All other sessions are signed out.')
    },
  })
  return (
    <Stack gap="sm">
      <Text size="sm">
        Your account has no password. Set one to add passkeys and an authenticator app, or to sign
        in without the identity provider.
      </Text>
      <Form {...form} label="Password" verb="Set password" isDisabled={values.newPassword === ''}>
        <AccountName />
        <NewPasswordField {...field('newPassword')} label="New password" />
      </Form>
    </Stack>
  )
}
