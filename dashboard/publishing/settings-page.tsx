// Project settings: General, Domains, Tokens, Danger zone.
import { NavLink, Stack } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { Page } from '../components/page.tsx'
import { Loaded } from '../components/states.tsx'
import { DomainsSection } from './domains/domains-section.tsx'
import { DangerZone, GeneralSettings } from './general-settings.tsx'
import { useProject } from './project-queries.ts'
import classes from './settings-page.module.css'
import { TokensSection } from './tokens-section.tsx'

const sections = [
  { id: 'general', title: 'General' },
  { id: 'domains', title: 'Domains' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'danger', title: 'Danger zone' },
] as const

export function Component() {
  const { section = 'general', slug = '' } = useParams()
  const project = useProject()
  const title = project.data?.name ?? slug
  return (
    <Page
      title="Project settings"
      within={[
        { title: 'Projects', to: '/' },
        { title, to: `/projects/${slug}` },
      ]}
    >
      <div className={classes.columns}>
        <nav aria-label="Project settings" className={classes.sections}>
          {sections.map(({ id, title: name }) => (
            <NavLink
              key={id}
              component={Link}
              to={`/projects/${slug}/settings/${id}`}
              label={name}
              active={section === id}
              aria-current={section === id ? 'page' : undefined}
              className={classes.section ?? ''}
            />
          ))}
        </nav>
        <Stack className={classes.content ?? ''}>
          {section === 'domains' ? (
            <DomainsSection />
          ) : (
            <Loaded query={project}>
              {(found) =>
                section === 'danger' ? (
                  <DangerZone project={found} />
                ) : section === 'tokens' ? (
                  <TokensSection project={found} />
                ) : (
                  <GeneralSettings key={found.slug} project={found} />
                )
              }
            </Loaded>
          )}
        </Stack>
      </div>
    </Page>
  )
}
