// A page that failed: what can be done, and what went wrong on the console for whoever mends it.
import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { useRouteError } from 'react-router'
import { explain, Refusal } from '../platform/api.ts'

export function Broken() {
  const error = useRouteError()
  // A part that is no longer there: the program has been updated since the page was opened.
  const isOutdated = error instanceof TypeError && /import|module/i.test(error.message)
  if (error instanceof Refusal && error.code === 'not_signed_in') return null
  return (
    <Center mih="60vh" p="lg">
      <Stack align="flex-start" maw={440} role="alert">
        <Title order={1} size="h2">
          {isOutdated ? 'There is a newer version' : 'This page has failed'}
        </Title>
        <Text>
          {isOutdated ? 'The program was updated. Reload the page to go on.' : explain(error)}
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Center>
  )
}
