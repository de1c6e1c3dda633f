// Project settings: General, Site, Members, Tokens, Danger zone. Domains, among them by its address, is a tab of the project.
import { NavLink, Stack } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Link, useParams } from 'react-router'
import { Empty, Loaded } from '../components/states.tsx'
import { settingsSections } from '../platform/settings-sections.ts'
import { UnknownPage } from '../shell/problem-pages.tsx'
import { DangerZone, GeneralSettings } from './general-settings.tsx'
import { MembersSection } from './members-section.tsx'
import { isEditable, isOwned, useProject } from './project-queries.ts'
import { ProjectTokens } from './project-tokens.tsx'
import classes from './settings-page.module.css'
import { SiteSettingsSection } from './site-settings-section.tsx'
import { VisibilitySection } from './visibility-section.tsx'

export function Component() {
  const { section = 'general', slug = '' } = useParams()
  const project = useProject()
  const shown = useRef<HTMLAnchorElement>(null)
  // On a phone, the section may be beside the visible part.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is shown
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [section])
  if (!settingsSections.some(({ id }) => id === section)) return <UnknownPage />
  return (
    <div className={classes.columns}>
      <nav aria-label="Project settings" className={classes.sections}>
        {settingsSections.map(({ id, title }) => (
          <NavLink
            key={id}
            component={Link}
            to={`/projects/${slug}/settings/${id}`}
            label={title}
            active={section === id}
            {...(section === id && { ref: shown, 'aria-current': 'page' as const })}
            className={classes.section ?? ''}
          />
        ))}
      </nav>
      <Stack className={classes.content ?? ''}>
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
              <Stack gap="xl">
                <VisibilitySection project={found} />
                <SiteSettingsSection project={found} />
              </Stack>
            ) : section === 'tokens' ? (
              <ProjectTokens project={found} />
            ) : (
              <GeneralSettings key={found.slug} project={found} />
            )
          }
        </Loaded>
      </Stack>
    </div>
  )
}
