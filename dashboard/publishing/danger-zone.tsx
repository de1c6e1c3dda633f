// Danger zone: deletes a project.
import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Project } from '../../server/publishing/projects/schema.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { useDeleteProject } from './project-queries.ts'

export function DangerZone({ project }: { project: Project }) {
  const [isAsked, setAsked] = useState(false)
  const remove = useDeleteProject(project)
  const navigate = useNavigate()
  const announce = useAnnounce()
  return (
    <Stack>
      <Title order={2} size="h3">
        Danger zone
      </Title>
      <Paper withBorder p="md">
        <Stack align="flex-start">
          <Title order={3} size="h5">
            Delete this project
          </Title>
          <Text>
            Its site, all of its deploys and its domains go at once. They cannot be brought back.
          </Text>
          <Button color="red" onClick={() => setAsked(true)}>
            Delete project
          </Button>
        </Stack>
      </Paper>
      <Confirm
        opened={isAsked}
        close={() => setAsked(false)}
        title={`Delete ${project.name}?`}
        verb="Delete project"
        name={project.name}
        act={async () => {
          await remove.mutateAsync()
          announce({ text: `${project.name} is deleted.` })
          await navigate('/')
        }}
      >
        <Text>{project.address} stops being served, with everything that was deployed to it.</Text>
      </Confirm>
    </Stack>
  )
}
