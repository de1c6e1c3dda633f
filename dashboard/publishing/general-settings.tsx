// The sections General and Danger zone of the project settings.
import { Paper, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { useAnnounce } from '../components/announcements.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange } from '../platform/requests.ts'
import {
  type Project,
  projectListQuery,
  projectQueries,
  projectsQueries,
} from './project-queries.ts'
import { TransferProject } from './transfer-project.tsx'

export function GeneralSettings({ project }: { project: Project }) {
  const change = useChange('PATCH /projects/{slug}', projectsQueries)
  const announce = useAnnounce()
  const navigate = useNavigate()
  const { field, form, set } = useForm({
    initial: { name: project.name, slug: project.slug },
    labels: { name: 'Name', slug: 'Subdomain' },
    async send({ name, slug }) {
      const saved = await change.mutateAsync({
        params: { slug: project.slug },
        body: { ...(name !== project.name && { name }), ...(slug !== project.slug && { slug }) },
      })
      set({ name: saved.name, slug: saved.slug })
      announce('Saved.')
      if (saved.slug !== project.slug) {
        void navigate(`/projects/${saved.slug}/settings/general`, { replace: true })
      }
    },
  })
  return (
    <Section title="General" size="h3">
      <Paper withBorder p="md">
        <Form {...form} verb="Save" label="General">
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
    </Section>
  )
}

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
