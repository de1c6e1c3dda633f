// The sections General and Danger zone of the project settings.
import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { type Project, useChangeProject, useDeleteProject } from './project-queries.ts'

export function GeneralSettings({ project }: { project: Project }) {
  const change = useChangeProject(project.slug)
  const announce = useAnnounce()
  const navigate = useNavigate()
  const { field, form, values } = useForm({
    initial: { name: project.name, slug: project.slug },
    async send({ name, slug }) {
      const saved = await change.mutateAsync({
        ...(name === project.name ? {} : { name }),
        ...(slug === project.slug ? {} : { slug }),
      })
      announce({ text: 'Saved.' })
      if (saved.slug !== project.slug) {
        void navigate(`/projects/${saved.slug}/settings/general`, { replace: true })
      }
    },
  })
  return (
    <Stack>
      <Title order={2} size="h3">
        General
      </Title>
      <Paper withBorder p="md">
        <Form
          {...form}
          verb="Save"
          isDisabled={values.name === project.name && values.slug === project.slug}
        >
          <TextField {...field('name')} label="Name" />
          <TextField
            {...field('slug')}
            label="Subdomain"
            description={`The first part of ${project.address}. The old address redirects to the new one.`}
            autoCapitalize="none"
            spellCheck={false}
          />
          {project.formerSlugs.length > 0 && (
            <Text size="sm" c="dimmed">
              Old subdomains that redirect here: {project.formerSlugs.join(', ')}
            </Text>
          )}
        </Form>
      </Paper>
    </Stack>
  )
}

export function DangerZone({ project }: { project: Project }) {
  const [isConfirming, setConfirming] = useState(false)
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
            Deletes its site, all deploys and all domains immediately. This cannot be undone.
          </Text>
          <Button color="red" onClick={() => setConfirming(true)}>
            Delete project
          </Button>
        </Stack>
      </Paper>
      <Confirm
        opened={isConfirming}
        close={() => setConfirming(false)}
        title={`Delete ${project.name}?`}
        verb="Delete project"
        name={project.name}
        act={async () => {
          await remove.mutateAsync()
          announce({ text: `${project.name} is deleted.` })
          await navigate('/')
        }}
      >
        <Text>{project.address} goes offline, and everything deployed to it is deleted.</Text>
      </Confirm>
    </Stack>
  )
}
