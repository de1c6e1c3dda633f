// Covers a page whose session has ended: after signing in again, users continue with what they had typed.
import { Anchor, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type Account, leaveForSignIn, useSessionEnded } from '../platform/session.ts'
import { SignInForm } from '../sign-in/sign-in-form.tsx'

export function SignInAgain({ account }: { account: Account }) {
  const hasEnded = useSessionEnded()
  const client = useQueryClient()
  return (
    <Modal
      opened={hasEnded}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // Above any other dialog.
      zIndex={300}
      title="Your session has ended"
    >
      <Stack>
        <Text>Sign in again to continue. What you typed is still here.</Text>
        <SignInForm
          email={account.email}
          aside={
            <Anchor component="button" type="button" size="sm" onClick={leaveForSignIn}>
              Use another account
            </Anchor>
          }
          onSignedIn={async ({ id }) => {
            // The data of one account never stays on the page for another.
            if (id === account.id) await client.invalidateQueries()
            else location.assign('/')
          }}
        />
      </Stack>
    </Modal>
  )
}
