// Account.
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

export function Component() {
  return (
    <Page title="Account">
      <Empty title="Not built yet" />
    </Page>
  )
}
