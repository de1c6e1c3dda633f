// The section Site of the project settings: who may see the site, how it looks, and what it redirects.
import { Stack } from '@mantine/core'
import type { Project } from './project-queries.ts'
import { SiteSettingsSection } from './site-settings-section.tsx'
import { VisibilitySection } from './visibility-section.tsx'

export function SiteSection({ project }: { project: Project }) {
  return (
    <Stack gap="xl">
      <VisibilitySection project={project} />
      <SiteSettingsSection project={project} />
    </Stack>
  )
}
