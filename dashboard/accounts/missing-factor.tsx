// What is shown instead of every page while the operator requires a second factor that the session has not proven.
import { Button, Group, Stack, Text } from '@mantine/core'
import { Page, Section } from '../components/page.tsx'
import { useGet } from '../platform/requests.ts'
import { signOut } from '../platform/session.ts'
import {
  PasskeysSection,
  PasswordForm,
  SecondFactorSection,
  useHasPassword,
} from './sign-in-sections.tsx'

export function Component() {
  const isOn = useGet('GET /account/second-factor').data?.isOn ?? false
  const hasPasskey = (useGet('GET /account/passkeys').data?.items.length ?? 0) > 0
  const hasPassword = useHasPassword()
  return (
    <Page
      title="Add a second factor"
      lead="This installation requires one. Add a passkey or an authenticator app, then continue."
    >
      <Stack gap="xl">
        {!hasPassword && (
          <Section title="Password" isFramed>
            <Stack maw={440}>
              <PasswordForm />
            </Stack>
          </Section>
        )}
        <PasskeysSection />
        <SecondFactorSection />
        {(isOn || hasPasskey) && (
          <Text>If you added it in another session, sign out and sign in with it here.</Text>
        )}
        <Group gap="xs">
          <Button disabled={!isOn && !hasPasskey} onClick={() => location.reload()}>
            Continue
          </Button>
          <Button variant="default" onClick={() => void signOut()}>
            Sign out
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}
