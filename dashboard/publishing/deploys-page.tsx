// All deploys of a project, and its previews.
import { Stack } from '@mantine/core'
import { Section } from '../components/page.tsx'
import { Empty, Loaded, LoadedItems } from '../components/states.tsx'
import { DeployButton } from './deploy-button.tsx'
import { DeployList } from './deploy-list.tsx'
import { Previews } from './previews.tsx'
import { type Project, useDeploys, useProject } from './project-queries.ts'

export function Component() {
  return <Loaded query={useProject()}>{(project) => <Deploys project={project} />}</Loaded>
}

function Deploys({ project }: { project: Project }) {
  return (
    <Stack gap="xl">
      <Previews project={project} />
      <Section title="Deploys" size="h3" actions={<DeployButton project={project} />}>
        <LoadedItems
          query={useDeploys(project)}
          empty={
            <Empty title="No deploys yet">All deploys are kept here and can be restored.</Empty>
          }
        >
          {(deploys) => <DeployList deploys={deploys} />}
        </LoadedItems>
      </Section>
    </Stack>
  )
}
