// What is shown instead of a page: for an address that does not exist or is not for everyone, and for a page that failed.
import { Box, Button, Center, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Outlet, useParams, useRouteError } from 'react-router'
import { ManagementError } from '../../client/management-client.ts'
import { Empty, Loading, NotAllowed, Page, ToProjects } from '../components/page.tsx'
import { explain, isCode, isHealthy, suspectOutage, useOutage } from '../platform/api.ts'
import { useAccount } from '../platform/requests.ts'

/** Inside another page. */
export const UnknownPage = () => (
  <Empty title="This page does not exist" action={<ToProjects />}>
    It may have been moved or deleted.
  </Empty>
)

export const NotFound = () => (
  <Page title="Page not found">
    <UnknownPage />
  </Page>
)

const NoAccess = () => (
  <Page title="No access">
    <NotAllowed />
  </Page>
)

export function PageError() {
  const error = useRouteError()
  // A chunk is missing: the server does not respond, or the program was updated after this page was opened.
  const isOfPage = error instanceof Error && !(error instanceof ManagementError)
  const isMissing = isOfPage && /import|module script|preload/i.test(error.message)
  const hasOutage = useOutage()
  const hadOutage = useRef(false)
  const [isOutdated, setOutdated] = useState(false)
  useEffect(() => {
    if (isMissing) void isHealthy().then((is) => (is ? setOutdated(true) : suspectOutage()))
  }, [isMissing])
  useEffect(() => {
    if (hasOutage) hadOutage.current = true
    else if (isMissing && hadOutage.current) location.reload()
  }, [isMissing, hasOutage])
  if (isCode(error, 'not_signed_in')) return null
  // It is loaded as soon as the server responds.
  if (isMissing && !isOutdated) {
    return (
      <Box p="lg">
        <Loading />
      </Box>
    )
  }
  return (
    <Center mih="60vh" p="lg">
      <Stack align="flex-start" maw={440} role="alert">
        <Title order={1} size="h2">
          {isOutdated ? 'A new version is available' : 'Something went wrong'}
        </Title>
        <Text>
          {isOutdated ? 'The program was updated. Reload the page to continue.' : explain(error)}
        </Text>
        <Button variant="filled" onClick={() => location.reload()}>
          Reload
        </Button>
      </Stack>
    </Center>
  )
}

/** The server refuses the requests of these pages to members. */
export function OperatorsOnly() {
  return useAccount().role === 'operator' ? <Outlet /> : <NoAccess />
}

export function ExistingEnvironment() {
  const { environment = '' } = useParams()
  return ['production', 'staging'].includes(environment) ? <Outlet /> : <NotFound />
}
