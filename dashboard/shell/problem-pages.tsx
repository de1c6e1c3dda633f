// The pages for an address that does not exist, and for a page that failed.
import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { Link, useRouteError } from 'react-router'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'
import { explain, isCode } from '../platform/api.ts'

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        title="This page does not exist"
        action={
          <Button component={Link} to="/" variant="default">
            Go to projects
          </Button>
        }
      >
        It may have been moved or deleted.
      </Empty>
    </Page>
  )
}

export function PageError() {
  const error = useRouteError()
  // A chunk is missing: the program was updated after this page was opened.
  const isOutdated = error instanceof TypeError && /import|module/i.test(error.message)
  if (isCode(error, 'not_signed_in')) return null
  return (
    <Center mih="60vh" p="lg">
      <Stack align="flex-start" maw={440} role="alert">
        <Title order={1} size="h2">
          {isOutdated ? 'A new version is available' : 'Something went wrong'}
        </Title>
        <Text>
          {isOutdated ? 'The program was updated. Reload the page to continue.' : explain(error)}
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Center>
  )
}
