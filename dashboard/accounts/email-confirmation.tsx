// Whether the account's email address is confirmed, and the address that it changes to.
import { Alert, Group, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { ActionButton } from '../components/action-buttons.tsx'
import { Ago } from '../components/time.tsx'
import { useChange, useGet } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { useAccount } from '../platform/use-account.ts'

const changed = { queryKey: ['account', 'email-confirmation'] }

/** `email` is the saved address. */
export function EmailConfirmation({ email }: { email: string }) {
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
