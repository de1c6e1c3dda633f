// General: the name and the address of a project.
import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Project } from '../../server/publishing/projects/schema.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { explain, Refusal } from '../platform/api.ts'
import { useChangeProject } from './project-queries.ts'

export function GeneralSettings({ project }: { project: Project }) {
  const [name, setName] = useState(project.name)
  const [slug, setSlug] = useState(project.slug)
  const change = useChangeProject(project.slug)
  const announce = useAnnounce()
  const navigate = useNavigate()
  const details = change.error instanceof Refusal ? change.error.details : []
  const problem = (field: string) => details.find(({ path }) => path === field)?.message
  const isChanged = name !== project.name || slug !== project.slug

  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = {
      ...(name === project.name ? {} : { name }),
      ...(slug === project.slug ? {} : { slug }),
    }
    change.mutate(wanted, {
      onSuccess: (saved) => {
        announce({ text: 'Saved.' })
        if (saved.slug !== project.slug) {
          void navigate(`/projects/${saved.slug}/settings/general`, { replace: true })
        }
      },
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Title order={2} size="h3">
          General
        </Title>
        <Paper withBorder p="md">
          <Stack>
            <TextInput
              label="Name"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={problem('name')}
            />
            <TextInput
              label="Address"
              description={`The first label of ${project.address}. The address before redirects to the new one.`}
              value={slug}
              onChange={(event) => setSlug(event.currentTarget.value)}
              error={problem('slug')}
              autoCapitalize="none"
              spellCheck={false}
            />
            {project.formerSlugs.length > 0 && (
              <Text size="sm" c="dimmed">
                These redirect to it: {project.formerSlugs.join(', ')}
              </Text>
            )}
            {change.error && details.length === 0 && (
              <Text c="red" role="alert">
                {explain(change.error)}
              </Text>
            )}
            <Group>
              <Button type="submit" loading={change.isPending} disabled={!isChanged}>
                Save
              </Button>
            </Group>
          </Stack>
        </Paper>
      </Stack>
    </form>
  )
}
