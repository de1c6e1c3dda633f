// Account: who I am, how I sign in, where I am signed in, what programs may do for me, and how it all looks.
import { Paper, Stack, Text, Title } from '@mantine/core'
import { Page } from '../components/page.tsx'
import { useAccount } from '../platform/session.ts'
import { Appearance } from '../shell/account-menu.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { TokensSection } from './tokens-section.tsx'

export function Component() {
  const { plan, role } = useAccount()
  return (
    <Page
      title="Account"
      lead={
        role === 'operator'
          ? 'You are an operator: you may see and change everything.'
          : `You are a member on the ${plan} plan. An operator can change that.`
      }
    >
      <Stack gap="xl">
        <ProfileForm />
        <PasswordForm />
        <SessionsSection />
        <TokensSection />
        <section aria-labelledby="appearance">
          <Title order={2} size="h4" mb="sm" id="appearance">
            Appearance
          </Title>
          <Paper withBorder p="md">
            <Stack maw={360}>
              <Text size="sm">In this browser. System follows the device.</Text>
              <Appearance />
            </Stack>
          </Paper>
        </section>
      </Stack>
    </Page>
  )
}
