// The pages of a project, for its tabs and for the palette.
export const projectTabs = [
  { title: 'Overview', path: '' },
  { title: 'Deploys', path: '/deploys' },
  { title: 'Domains', path: '/settings/domains' },
  { title: 'Analytics', path: '/analytics' },
  { title: 'Project settings', path: '/settings/general' },
] as const

/** The sections of the settings, by the last segment of their addresses. */
export const settingsSections = [
  { id: 'general', title: 'General' },
  { id: 'site', title: 'Site' },
  { id: 'domains', title: 'Domains' },
  { id: 'members', title: 'Members' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'danger', title: 'Danger zone' },
] as const
