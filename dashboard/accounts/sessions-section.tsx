// The sessions of the account: where it is signed in.
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { ActionButton, ConfirmButton } from '../components/action-buttons.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useChange, useGet } from '../platform/requests.ts'
import { signInMethods } from './sign-in-methods.ts'

const changed = { queryKey: ['account', 'sessions'] }

export function SessionsSection() {
  const sessions = useGet('GET /account/sessions')
  const endOthers = useChange('DELETE /account/sessions', changed)
  const end = useChange('DELETE /account/sessions/{sessionId}', changed)
  const hasOthers = sessions.data?.items.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Section
      id="sessions"
      title="Sessions"
      lead={
        <>
          Browsers that are signed in. Sign out those that you do not know, and change your
          password.{' '}
          <Anchor component={Link} to="/account/activity" size="sm">
            Show activity
          </Anchor>
        </>
      }
      actions={
        hasOthers && (
          <ConfirmButton
            confirmation={{
              title: 'Sign out all other sessions?',
              text: 'All other browsers must sign in again. Access tokens keep working.',
              verb: 'Sign out all others',
              act: () => endOthers.mutateAsync({}),
              done: 'All other sessions are signed out.',
            }}
          />
        )
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <Records
            caption="Sessions"
            rows={items}
            columns={[
              {
                title: 'Browser',
                isHead: true,
                cell: ({ isCurrent, userAgent }) => (
                  <Group gap={6}>
                    <span title={userAgent}>{browserOf(userAgent)}</span>
                    {isCurrent && <StateBadge tone="success">This one</StateBadge>}
                  </Group>
                ),
              },
              { title: 'Address', isMinor: true, cell: ({ address }) => address },
              {
                title: 'Signed in',
                cell: ({ createdAt, signedInBy }) => (
                  <>
                    <Ago time={createdAt} />
                    <Text size="sm" c="dimmed">
                      {signInMethods[signedInBy]}
                    </Text>
                  </>
                ),
              },
              { title: 'Last used', cell: ({ seenAt }) => <Ago time={seenAt} /> },
            ]}
            actions={({ id, isCurrent, userAgent }) =>
              !isCurrent && (
                <ActionButton
                  label={`Sign out ${browserOf(userAgent)}`}
                  act={() => end.mutateAsync({ params: { sessionId: id } })}
                  done="The session is signed out."
                >
                  Sign out
                </ActionButton>
              )
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

const browsers: [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** `Firefox on Linux`; an unknown user agent as it is. */
function browserOf(userAgent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? (userAgent === '' ? 'Unknown browser' : userAgent.slice(0, 60))
}
