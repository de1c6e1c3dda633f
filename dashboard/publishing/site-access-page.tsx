// Between a site that only members may see and its visitor: with an account that may see it, the browser goes on to the
// site at once.
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { LockIcon } from '../components/icons.tsx'
import { Empty, Failed, Loading, Page, ToProjects } from '../components/page.tsx'
import { call, isCode } from '../platform/api.ts'
import { useAccount } from '../platform/requests.ts'
import { leaveForSignIn } from '../platform/session.ts'
import { NotFound } from '../shell/problem-pages.tsx'

export function Component() {
  const { email } = useAccount()
  const [query] = useSearchParams()
  const body = { host: query.get('host') ?? '', state: query.get('state') ?? '' }
  const entry = useQuery({
    queryKey: ['site-access', body],
    // Never resolves: the next page opens. Asked once, because each code ends the one before.
    queryFn: async (): Promise<never> => {
      const { address } = await call('POST /site-access', { body })
      location.replace(address)
      return await new Promise(() => {})
    },
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { error, refetch } = entry
  if (isCode(error, 'invalid_body')) return <NotFound />
  return (
    <Page title={error === null ? `Opening ${body.host}` : body.host}>
      {error === null ? (
        <Loading rows={1} />
      ) : isCode(error, 'project_not_found') ? (
        <Empty
          title="You do not have access to this site"
          icon={<LockIcon size={28} />}
          action={
            <Group gap="xs" justify="center">
              <Button variant="filled" onClick={leaveForSignIn}>
                Use another account
              </Button>
              <ToProjects />
            </Group>
          }
        >
          You are signed in as {email}. Ask the owner of the project to invite this account.
        </Empty>
      ) : (
        <Failed error={error} retry={() => void refetch()} />
      )}
    </Page>
  )
}
