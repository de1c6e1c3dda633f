// System: the state of the program, and its traffic over the last hours.
import { Alert, Stack } from '@mantine/core'
import { Page } from '../components/page.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { counted } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import { HistorySection } from './history-section.tsx'
import { type System, SystemFacts } from './system-facts.tsx'

export function Component() {
  const system = useGet('GET /system', {}, { refetchInterval: 10_000 })
  return (
    <Page title="System" lead="The program that runs the store and publishes the projects.">
      <Stack gap="xl">
        <Loaded query={system} loading={<Loading rows={3} height={120} />}>
          {(found) => (
            <Stack>
              <Health system={found} />
              <SystemFacts system={found} />
            </Stack>
          )}
        </Loaded>
        <HistorySection />
      </Stack>
    </Page>
  )
}

function Health({ system: { databases, isReady, queues } }: { system: System }) {
  const offline = databases.filter((database) => !database.isReady).map(({ name }) => name)
  if (!isReady) {
    const which =
      offline.length === 0 ? 'Some parts are not ready.' : `Offline: ${offline.join(', ')}.`
    return (
      <Alert color="red" role="alert" title="Not ready">
        {which} Requests that need them get status 503 until they are back.
      </Alert>
    )
  }
  const late = queues.filter(({ oldestSeconds }) => (oldestSeconds ?? 0) > 3600)
  if (late.length > 0) {
    return (
      <Alert color="yellow" role="status" title="Ready">
        Webhook deliveries have been pending for more than an hour in{' '}
        {late.map((each) => each.environment).join(' and ')}.
      </Alert>
    )
  }
  return (
    <Alert color="leaf" role="status" title="Ready">
      {counted(databases.length, 'database')} online.
    </Alert>
  )
}
