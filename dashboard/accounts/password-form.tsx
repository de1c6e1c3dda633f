// The own password. What was signed in elsewhere is signed out by it.
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { PasswordField } from '../components/password-field.tsx'
import { Refusal } from '../platform/api.ts'
import { useAccount } from '../platform/session.ts'
import { useChangePassword } from './account-queries.ts'

export function PasswordForm() {
  const { email } = useAccount()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const change = useChangePassword()
  const announce = useAnnounce()
  const { at, other } = problemsOf(change.error, ['currentPassword', 'newPassword'])
  const isWrong = change.error instanceof Refusal && change.error.code === 'invalid_credentials'

  function submit(event: FormEvent): void {
    event.preventDefault()
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          setCurrent('')
          setNew('')
          announce({ text: 'Your password is changed. All other sessions have ended.' })
        },
      },
    )
  }

  return (
    <form onSubmit={submit} noValidate aria-labelledby="password">
      <Title order={2} size="h4" mb="sm" id="password">
        Password
      </Title>
      <Paper withBorder p="md">
        <Stack maw={440}>
          {/* For password managers: whose password it is. */}
          <input type="text" hidden readOnly autoComplete="username" value={email} />
          <PasswordField
            label="Current password"
            value={currentPassword}
            onChange={setCurrent}
            error={at('currentPassword') ?? (isWrong ? other : undefined)}
            autoComplete="current-password"
          />
          <PasswordField
            label="New password"
            description="12 to 256 characters, none of the most common ones."
            value={newPassword}
            onChange={setNew}
            error={at('newPassword')}
            autoComplete="new-password"
          />
          {other && !isWrong && (
            <Text c="red" role="alert">
              {other}
            </Text>
          )}
          <Group>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={currentPassword === '' || newPassword === ''}
            >
              Change password
            </Button>
          </Group>
        </Stack>
      </Paper>
    </form>
  )
}
