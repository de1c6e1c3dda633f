// The page of a link that confirms an email address. It confirms when the button is pressed, not when it is opened:
// mail servers open links, too.
import { Alert, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { call, isCode } from '../platform/api.ts'
import { View } from './view.tsx'

export const confirmEmailPath = '/confirm-email'

type State = 'open' | 'busy' | 'failed' | 'confirmed' | 'invalid'

export function ConfirmEmail({ token }: { token: string | undefined }) {
  const [state, setState] = useState<State>(token === undefined ? 'invalid' : 'open')

  function confirm(): void {
    setState('busy')
    call('POST /email-confirmation', { body: { token: token ?? '' } }).then(
      () => setState('confirmed'),
      (error) => {
        const codes = ['link_not_valid', 'invalid_body', 'email_taken'] as const
        setState(codes.some((code) => isCode(error, code)) ? 'invalid' : 'failed')
      },
    )
  }

  if (state === 'confirmed') {
    return (
      <View title="Email address confirmed" lead="Sign in with it. Notices are sent to it.">
        <Continue />
      </View>
    )
  }
  if (state === 'invalid') {
    return (
      <View
        title="This link does not work"
        lead="It was already used, has expired, or is incomplete."
      >
        <Text>Sign in and request a new link under Account.</Text>
        <Continue />
      </View>
    )
  }
  return (
    <View
      title="Confirm your email address"
      lead="Your account uses it to sign in and for notices."
    >
      {state === 'failed' && (
        <Alert color="red">The server does not respond. Try again in a moment.</Alert>
      )}
      <Button w="fit-content" loading={state === 'busy'} onClick={confirm}>
        Confirm
      </Button>
      <Text size="sm" c="dimmed">
        If you did not enter the address here, close this page.
      </Text>
    </View>
  )
}

function Continue() {
  return (
    <Button component="a" href="/" w="fit-content">
      Continue
    </Button>
  )
}
