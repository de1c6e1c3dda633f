// Over a page whose session has ended: whoever signs in again goes on where he was, with what he had typed.
import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Account } from '../../server/platform/accounts/schema.ts'
import { explain } from '../platform/api.ts'
import { leaveForSignIn, signInAgain, useSessionEnded } from '../platform/session.ts'

export function SignInAgain({ account }: { account: Account }) {
  const hasEnded = useSessionEnded()
  return (
    <Modal
      opened={hasEnded}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // Above whatever dialog is open.
      zIndex={300}
      title="Your session has ended"
    >
      <Form account={account} />
    </Modal>
  )
}

function Form({ account: { email, id } }: { account: Account }) {
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const signIn = useMutation({
    mutationFn: () => signInAgain(email, password),
    async onSuccess(account) {
      // Nobody else's data stays on the page.
      if (account.id === id) await client.invalidateQueries()
      else location.assign('/')
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!signIn.isPending) signIn.mutate()
      }}
    >
      <Stack>
        <Text>Sign in again to go on. What you have typed is still here.</Text>
        <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            signIn.reset()
          }}
          error={signIn.error && explain(signIn.error)}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          data-autofocus
        />
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={leaveForSignIn}>
            Leave this page, and sign in as somebody else
          </Anchor>
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
