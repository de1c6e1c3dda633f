// Projects.
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

export function Component() {
  return (
    <Page title="Projects">
      <Empty title="Not built yet" />
    </Page>
  )
}
