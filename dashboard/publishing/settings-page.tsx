// Project settings: General, Site, Members, Tokens, Danger zone. Domains, among them by its address, is a tab of the project.

import { Paper, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { SettingsPages } from '../components/settings-layout.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { useForm } from '../components/use-form.ts'
import { settingsSections } from '../platform/project-tabs.ts'
import { useChange } from '../platform/requests.ts'
import { UnknownPage } from '../shell/problem-pages.tsx'
import {
  isEditable,
  isOwned,
  type Project,
  projectsQueries,
  useProject,
} from './project-queries.ts'

// Each is loaded when it is first opened.
const SiteSection = lazy(() =>
  import('./site-section.tsx').then(({ SiteSection }) => ({ default: SiteSection })),
)
const DangerZone = lazy(() =>
  import('./danger-zone.tsx').then(({ DangerZone }) => ({ default: DangerZone })),
)
const MembersSection = lazy(() =>
  import('./members-section.tsx').then(({ MembersSection }) => ({ default: MembersSection })),
)
const ProjectTokens = lazy(() =>
  import('./project-tokens.tsx').then(({ ProjectTokens }) => ({ default: ProjectTokens })),
)

export function Component() {
  const { section = 'general', slug = '' } = useParams()
  const project = useProject()
  if (!settingsSections.some(({ id }) => id === section)) return <UnknownPage />
  const addressOf = (id: string): string => `/projects/${slug}/settings/${id}`
  return (
    <SettingsPages
      label="Project settings"
      pages={settingsSections.map(({ id, title }) => ({ title, to: addressOf(id) }))}
      current={addressOf(section)}
    >
      <Suspense fallback={<Loading />}>
        <Loaded query={project}>
          {(found) =>
            section !== 'members' && !(section === 'danger' ? isOwned : isEditable)(found) ? (
              <Empty title="Not yours to change">
                {section === 'danger' ? 'Only the owner' : 'Only the owner and editors'} of{' '}
                {found.name} can. Who they are is under Members.
              </Empty>
            ) : section === 'danger' ? (
              <DangerZone project={found} />
            ) : section === 'members' ? (
              <MembersSection project={found} />
            ) : section === 'site' ? (
              <SiteSection project={found} />
            ) : section === 'tokens' ? (
              <ProjectTokens project={found} />
            ) : (
              <GeneralSettings key={found.slug} project={found} />
            )
          }
        </Loaded>
      </Suspense>
    </SettingsPages>
  )
}

// The section General of the project settings.

function GeneralSettings({ project }: { project: Project }) {
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
