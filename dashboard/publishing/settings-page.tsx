// Project settings: General, Site, Members, Tokens, Danger zone. Domains, among them by its address, is a tab of the project.
import { lazy, Suspense } from 'react'
import { useParams } from 'react-router'
import { SettingsPages } from '../components/settings-layout.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { settingsSections } from '../platform/project-tabs.ts'
import { UnknownPage } from '../shell/problem-pages.tsx'
import { GeneralSettings } from './general-settings.tsx'
import { isEditable, isOwned, useProject } from './project-queries.ts'

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
