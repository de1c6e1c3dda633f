// The own name and e-mail address. Who changes the address shows that he knows the password.
import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { PasswordField } from '../components/password-field.tsx'
import { Refusal } from '../platform/api.ts'
import { useAccount } from '../platform/session.ts'
import { useChangeProfile } from './account-queries.ts'

export function ProfileForm() {
  const account = useAccount()
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const [password, setPassword] = useState('')
  const change = useChangeProfile()
  const announce = useAnnounce()
  const { at, other } = problemsOf(change.error, ['name', 'email', 'currentPassword'])
  const refused = change.error instanceof Refusal ? change.error.code : undefined
  const isOtherEmail = email !== account.email
  const isChanged = name !== account.name || isOtherEmail

  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = {
      ...(name === account.name ? {} : { name }),
      ...(isOtherEmail ? { email, currentPassword: password } : {}),
    }
    change.mutate(wanted, {
      onSuccess: (saved) => {
        setName(saved.name)
        setEmail(saved.email)
        setPassword('')
        announce({ text: 'Your profile is saved.' })
      },
    })
  }

  return (
    <form onSubmit={submit} noValidate aria-labelledby="profile">
      <Title order={2} size="h4" mb="sm" id="profile">
        Profile
      </Title>
      <Paper withBorder p="md">
        <Stack maw={440}>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={at('name')}
            autoComplete="name"
          />
          <TextInput
            label="E-mail address"
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={at('email') ?? (refused === 'email_taken' ? other : undefined)}
            autoComplete="username"
            spellCheck={false}
          />
          {isOtherEmail && (
            <PasswordField
              label="Current password"
              description="Needed to change the e-mail address."
              value={password}
              onChange={setPassword}
              error={
                at('currentPassword') ?? (refused === 'invalid_credentials' ? other : undefined)
              }
              autoComplete="current-password"
            />
          )}
          {other && refused !== 'email_taken' && refused !== 'invalid_credentials' && (
            <Text c="red" role="alert">
              {other}
            </Text>
          )}
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!isChanged}>
              Save
            </Button>
          </Group>
        </Stack>
      </Paper>
    </form>
  )
}
