// Where the account is signed in, and how to end it.
import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Records } from '../components/records.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import { useEndSession, useSessions } from './account-queries.ts'
import { browserOf } from './browser-name.ts'

export function SessionsSection() {
  const sessions = useSessions()
  const end = useEndSession()
  const announce = useAnnounce()
  const [isAsked, setAsked] = useState(false)
  const others = sessions.data?.items.filter(({ isCurrent }) => !isCurrent).length ?? 0
  return (
    <section aria-labelledby="sessions">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="sessions">
          Sessions
        </Title>
        {others > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => setAsked(true)}>
            End all others
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
                    {isCurrent && <StateBadge tone="good">this one</StateBadge>}
                  </Group>
                ),
              },
              { title: 'From', cell: ({ address }) => <Text size="sm">{address}</Text> },
              { title: 'Begun', cell: ({ createdAt }) => <Ago time={createdAt} /> },
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
                      aria-label={`End the session of ${browserOf(userAgent)}`}
                      onClick={() =>
                        end.mutate(id, {
                          onSuccess: () => announce({ text: 'The session has ended.' }),
                          onError: (error) => announce({ text: explain(error), tone: 'failed' }),
                        })
                      }
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <Confirm
        opened={isAsked}
        close={() => setAsked(false)}
        title="End all other sessions?"
        verb="End all others"
        act={async () => {
          await end.mutateAsync(undefined)
          announce({ text: 'All other sessions have ended.' })
        }}
      >
        Every other browser has to sign in again. Access tokens go on.
      </Confirm>
    </section>
  )
}
