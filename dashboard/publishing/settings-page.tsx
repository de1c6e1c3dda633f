// Project settings: General, Site, Members, Tokens, Danger zone. Domains, among them by its address, is a tab of the project.
import { Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { SettingsPages } from '../components/settings-layout.tsx'
import { Empty, Loaded } from '../components/states.tsx'
import { settingsSections } from '../platform/settings-sections.ts'
import { UnknownPage } from '../shell/problem-pages.tsx'
import { DangerZone, GeneralSettings } from './general-settings.tsx'
import { MembersSection } from './members-section.tsx'
import { isEditable, isOwned, useProject } from './project-queries.ts'
import { ProjectTokens } from './project-tokens.tsx'
import { SiteSettingsSection } from './site-settings-section.tsx'
import { VisibilitySection } from './visibility-section.tsx'

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
    </SettingsPages>
  )
}
