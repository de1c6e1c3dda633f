// An address that nothing is at.
import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { Page } from '../components/page.tsx'
import { Empty } from '../components/states.tsx'

export function NotHere() {
  return (
    <Page title="Not found">
      <Empty
        title="There is nothing at this address"
        action={
          <Button component={Link} to="/" variant="default">
            To your projects
          </Button>
        }
      >
        It may have been moved or deleted.
      </Empty>
    </Page>
  )
}
