// The sections of the project settings, by the last segment of their addresses.
export const settingsSections = [
  { id: 'general', title: 'General' },
  { id: 'site', title: 'Site' },
  { id: 'domains', title: 'Domains' },
  { id: 'members', title: 'Members' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'danger', title: 'Danger zone' },
] as const
