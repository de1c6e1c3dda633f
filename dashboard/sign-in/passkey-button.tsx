// The button to sign in by passkey, where the browser has passkeys.
import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { explain } from '../platform/api.ts'
import { hasPasskeys } from '../platform/passkeys.ts'
import { type Account, signInByPasskey } from '../platform/session.ts'

export function PasskeyButton({
  onSignedIn,
}: {
  onSignedIn: (account: Account) => Promise<unknown>
}) {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (!hasPasskeys()) return null

  async function signIn(): Promise<void> {
    setPending(true)
    setProblem(undefined)
    try {
      await onSignedIn(await signInByPasskey())
    } catch (error) {
      setProblem(explain(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <Stack gap="sm">
      <Button variant="default" loading={isPending} onClick={() => void signIn()}>
        Sign in with a passkey
      </Button>
      {problem && (
        <Text c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  )
}
