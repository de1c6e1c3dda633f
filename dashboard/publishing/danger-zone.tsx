// The section Danger zone of the project settings.
import { Paper, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { Section } from '../components/page.tsx'
import { useChange } from '../platform/requests.ts'
import { type Project, projectListQuery, projectQueries } from './project-queries.ts'
import { TransferProject } from './transfer-project.tsx'

export function DangerZone({ project }: { project: Project }) {
  const { address, name, slug } = project
  // Only the list is fetched again: the project has no pages anymore.
  const remove = useChange('DELETE /projects/{slug}', projectListQuery)
  const navigate = useNavigate()
  const client = useQueryClient()
  // The way back leads to its pages, which do not exist anymore.
  const forget = (): void => client.removeQueries(projectQueries(slug))
  return (
    <Section title="Danger zone" size="h3">
      <Paper withBorder p="md" mb="md">
        <TransferProject project={project} />
      </Paper>
      <Paper withBorder p="md">
        <Stack align="flex-start">
          <Title order={3} size="h5">
            Delete this project
          </Title>
          <Text>
            Deletes its site, all deploys and all domains immediately. This cannot be undone.
          </Text>
          <ConfirmButton
            size="sm"
            variant="filled"
            color="red"
            confirmation={{
              title: `Delete ${name}?`,
              text: `${address} goes offline, and everything deployed to it is deleted.`,
              verb: 'Delete project',
              name,
              async act() {
                await remove.mutateAsync({ params: { slug }, query: { name } })
                await navigate('/', { replace: true })
                forget()
              },
              done: `${name} is deleted.`,
            }}
          />
        </Stack>
      </Paper>
    </Section>
  )
}
