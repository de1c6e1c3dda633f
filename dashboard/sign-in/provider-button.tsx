// The button to sign in by the identity provider.
import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { explainProvider, leaveForProvider } from '../platform/provider.ts'

interface ProviderButtonProps {
  /** Of the provider. */
  name: string
  /** The path to open afterwards. */
  next?: string
  /** The token of an invitation. */
  invitation?: string
}

export function ProviderButton({ name, ...start }: ProviderButtonProps) {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function leave(): Promise<void> {
    setPending(true)
    setProblem(undefined)
    try {
      await leaveForProvider(start)
    } catch (error) {
      setPending(false)
      setProblem(explainProvider(error, name))
    }
  }

  return (
    <Stack gap="sm">
      <Button variant="default" loading={isPending} onClick={() => void leave()}>
        {start.invitation === undefined ? 'Sign in' : 'Continue'} with {name}
      </Button>
      {problem && (
        <Text c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  )
}
