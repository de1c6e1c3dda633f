// What all pages of a project share: its name, the tabs, and the actions beside its name.
import { Outlet, useLocation } from 'react-router'
import { Page } from '../components/page.tsx'
import { type TabLink, TabLinks } from '../components/parts.tsx'
import { projectTabs, settingsSections } from '../platform/project-tabs.ts'
import { useSlug } from '../platform/requests.ts'
import { useProject } from './project-queries.ts'

const within = { title: 'Projects', to: '/' }

export function Component() {
  const slug = useSlug()
  const project = useProject()
  const address = `/projects/${slug}`
  const tabs = projectTabs.map(({ path, title }) => ({ title, to: `${address}${path}` }))
  const shown = shownIn(tabs, useLocation().pathname, address)
  const isMissing = project.error !== null && project.data === undefined
  return (
    <Page title={project.data?.name ?? slug} tab={shown.title} within={within}>
      {!isMissing && <TabLinks label="Project" links={tabs} current={shown.to} />}
      <Outlet />
    </Page>
  )
}

/** The tab, titled with the section of the settings that is shown; of an unknown address, none. */
function shownIn(tabs: TabLink[], pathname: string, address: string): TabLink {
  const settings = tabs.at(-1) as TabLink
  const path = pathname.replace(/\/+$/, '')
  const tab = tabs.find(({ to }) => to === path)
  if (tab !== undefined && tab !== settings) return tab
  const open = path === `${address}/settings` ? settings.to : path
  const section = settingsSections.find(({ id }) => open === `${address}/settings/${id}`)
  if (!section) return { title: 'Page not found', to: '' }
  return { title: `${section.title} · ${settings.title}`, to: settings.to }
}
