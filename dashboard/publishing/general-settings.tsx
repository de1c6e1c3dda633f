// The section General of the project settings.
import { Paper, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange } from '../platform/requests.ts'
import { type Project, projectsQueries } from './project-queries.ts'

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
