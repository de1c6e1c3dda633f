// The sessions of the account: where it is signed in.
import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/dialog.tsx'
import { Records } from '../components/records.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import { useEndSession, useSessions } from './account-queries.ts'

export function SessionsSection() {
  const sessions = useSessions()
  const end = useEndSession()
  const announce = useAnnounce()
  const [isConfirming, setConfirming] = useState(false)
  const others = sessions.data?.items.filter(({ isCurrent }) => !isCurrent).length ?? 0
  return (
    <section aria-labelledby="sessions">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="sessions">
          Sessions
        </Title>
        {others > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => setConfirming(true)}>
            Sign out all others
          </Button>
        )}
      </Group>
      <Loaded query={sessions}>
        {({ items }) => (
          <Records
            caption="Sessions"
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Browser',
                isHead: true,
                cell: ({ isCurrent, userAgent }) => (
                  <Group gap={6}>
                    <span title={userAgent}>{browserOf(userAgent)}</span>
                    {isCurrent && <StateBadge tone="good">This one</StateBadge>}
                  </Group>
                ),
              },
              { title: 'Address', cell: ({ address }) => <Text size="sm">{address}</Text> },
              { title: 'Signed in', cell: ({ createdAt }) => <Ago time={createdAt} /> },
              { title: 'Last used', cell: ({ seenAt }) => <Ago time={seenAt} /> },
              {
                title: 'Actions',
                isActions: true,
                cell: ({ id, isCurrent, userAgent }) =>
                  !isCurrent && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      loading={end.isPending && end.variables === id}
                      aria-label={`Sign out ${browserOf(userAgent)}`}
                      onClick={() =>
                        end.mutate(id, {
                          onSuccess: () => announce({ text: 'The session is signed out.' }),
                          onError: (error) => announce({ text: explain(error), tone: 'failed' }),
                        })
                      }
                    >
                      Sign out
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <Confirm
        opened={isConfirming}
        close={() => setConfirming(false)}
        title="Sign out all other sessions?"
        verb="Sign out all others"
        act={async () => {
          await end.mutateAsync(undefined)
          announce({ text: 'All other sessions are signed out.' })
        }}
      >
        All other browsers must sign in again. Access tokens keep working.
      </Confirm>
    </section>
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

/** `Firefox on Linux`; the user agent itself where it is not known. */
function browserOf(userAgent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? (userAgent === '' ? 'Unknown browser' : userAgent.slice(0, 60))
}
