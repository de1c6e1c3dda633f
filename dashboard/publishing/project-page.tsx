// Project.
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'

export function Component() {
  return (
    <Page title="Project">
      <Empty title="Not built yet" />
    </Page>
  )
}
