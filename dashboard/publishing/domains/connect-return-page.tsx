// The page that a DNS provider sends the browser back to. It has the domain verified, and goes on to it. What the provider
// reports is passed on; whether the records are there comes from DNS.
import { Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { Empty, Loading, Page, ToProjects } from '../../components/page.tsx'
import { call, explain } from '../../platform/api.ts'

export function Component() {
  const { state = '' } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<unknown>()
  const isSent = useRef(false)

  useEffect(() => {
    // It works once.
    if (isSent.current) return
    isSent.current = true
    const error = search.get('error')?.slice(0, 100)
    const errorDescription = search.get('error_description')?.slice(0, 1000)
    const body = {
      state,
      ...(error !== undefined && { error }),
      ...(errorDescription !== undefined && { errorDescription }),
    }
    call('POST /domain-connections/return', { body }).then(({ host, project }) => {
      const domain = new URLSearchParams({ domain: host })
      void navigate(`/projects/${project}/settings/domains?${domain}`, { replace: true })
    }, setFailure)
  }, [navigate, search, state])

  return (
    <Page title="Connecting the domain">
      {failure === undefined ? (
        <>
          <Text mb="md">Checking your name servers…</Text>
          <Loading rows={3} />
        </>
      ) : (
        <Empty title="This return could not be used" action={<ToProjects />}>
          {explain(failure)}
        </Empty>
      )}
    </Page>
  )
}
