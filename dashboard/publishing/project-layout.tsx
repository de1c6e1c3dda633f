// What all pages of a project share: its name, the tabs, and the actions beside its name.
import { Outlet, useLocation } from 'react-router'
import { Page } from '../components/page.tsx'
import { type TabLink, TabLinks } from '../components/tab-links.tsx'
import { useSlug } from '../platform/requests.ts'
import { settingsSections } from '../platform/settings-sections.ts'
import { useProject } from './project-queries.ts'

const within = [{ title: 'Projects', to: '/' }]

export function Component() {
  const slug = useSlug()
  const project = useProject()
  const address = `/projects/${slug}`
  const tabs = tabsOf(address)
  const shown = shownIn(tabs, useLocation().pathname, address)
  const isMissing = project.error !== null && project.data === undefined
  return (
    <Page title={project.data?.name ?? slug} tab={shown.title} within={within}>
      {!isMissing && <TabLinks label="Project" tabs={tabs} current={shown.to} />}
      <Outlet />
    </Page>
  )
}

function tabsOf(address: string) {
  return [
    { title: 'Overview', to: address },
    { title: 'Deploys', to: `${address}/deploys` },
    { title: 'Domains', to: `${address}/settings/domains` },
    { title: 'Analytics', to: `${address}/analytics` },
    { title: 'Project settings', to: `${address}/settings/general` },
  ] as const satisfies TabLink[]
}

/** The tab, titled with the section of the settings that is shown; of an unknown address, none. */
function shownIn(tabs: ReturnType<typeof tabsOf>, pathname: string, address: string): TabLink {
  const settings = tabs[4]
  const path = pathname.replace(/\/+$/, '')
  const tab = tabs.find(({ to }) => to === path)
  if (tab !== undefined && tab !== settings) return tab
  const open = path === `${address}/settings` ? settings.to : path
  const section = settingsSections.find(({ id }) => open === `${address}/settings/${id}`)
  if (!section) return { title: 'Page not found', to: '' }
  return { title: `${section.title} · ${settings.title}`, to: settings.to }
}
