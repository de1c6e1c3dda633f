// Project settings: General, Site, Members, Tokens, Danger zone. Domains, among them by its address, is a tab of the project.

import { type ComponentType, lazy, Suspense } from 'react'
import { useNavigate, useParams } from 'react-router'
import { Form, TextField, useForm } from '../../components/form.tsx'
import { Empty, Loaded, Loading, Section } from '../../components/page.tsx'
import { SettingsPages } from '../../components/parts.tsx'
import { Note } from '../../components/values.tsx'
import { settingsSections } from '../../platform/project-tabs.ts'
import { useChange } from '../../platform/requests.ts'
import { UnknownPage } from '../../shell/problem-pages.tsx'
import {
  isEditable,
  isOwned,
  type Project,
  projectsQueries,
  useProject,
} from '../project-queries.ts'

export function Component() {
  const { section = 'general', slug = '' } = useParams()
  const project = useProject()
  const shown = settingsSections.find(({ id }) => id === section)?.id
  if (shown === undefined || shown === 'domains') return <UnknownPage />
  const { Section, canOpen } = sections[shown]
  const addressOf = (id: string): string => `/projects/${slug}/settings/${id}`
  return (
    <SettingsPages
      label="Project settings"
      links={settingsSections.map(({ id, title }) => ({ title, to: addressOf(id) }))}
      current={addressOf(section)}
    >
      <Suspense fallback={<Loading />}>
        <Loaded query={project}>
          {(settings) =>
            canOpen(settings) ? (
              <Section key={settings.slug} project={settings} />
            ) : (
              <Empty title="Not yours to change">
                {canOpen === isOwned ? 'Only the owner' : 'Only the owner and editors'} of{' '}
                {settings.name} can. Who they are is under Members.
              </Empty>
            )
          }
        </Loaded>
      </Suspense>
    </SettingsPages>
  )
}

/** Loaded when it is first opened. */
const later = (load: () => Promise<{ Component: ComponentType<{ project: Project }> }>) =>
  lazy(async () => ({ default: (await load()).Component }))

const sections = {
  general: { Section: GeneralSettings, canOpen: isEditable },
  site: { Section: later(() => import('./site-section.tsx')), canOpen: isEditable },
  members: { Section: later(() => import('./members-section.tsx')), canOpen: () => true },
  tokens: { Section: later(() => import('./project-tokens.tsx')), canOpen: isEditable },
  danger: { Section: later(() => import('./danger-zone.tsx')), canOpen: isOwned },
}

/** The section General: name and subdomain. */
function GeneralSettings({ project }: { project: Project }) {
  const change = useChange('PATCH /projects/{slug}', [projectsQueries])
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
      if (saved.slug !== project.slug) {
        void navigate(`/projects/${saved.slug}/settings/general`, { replace: true })
      }
    },
    done: () => 'Saved.',
  })
  return (
    <Section title="General" size="h3" isFramed>
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
          <Note>Old subdomains that redirect here: {project.formerSlugs.join(', ')}</Note>
        )}
      </Form>
    </Section>
  )
}
