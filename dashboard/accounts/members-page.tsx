// Members.
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

export function Component() {
  return (
    <Page title="Members">
      <Empty title="Not built yet" />
    </Page>
  )
}
