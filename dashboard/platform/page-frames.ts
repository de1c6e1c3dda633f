// What is known of a page before its script runs: its title, its introduction and its files. The server sends it with
// the page (server/platform/dashboard), so that it is painted at once and the files are requested together.

export interface PageFrame {
  /** The pattern of its address; `:slug` is one segment. */
  path: string
  /** `:slug` for that segment of the address. */
  title: string
  lead?: string
  files: string[]
}

const project = (tab: string, file: string): PageFrame => ({
  path: `/projects/:slug${tab}`,
  title: ':slug',
  files: ['publishing/project-layout.tsx', `publishing/${file}.tsx`],
})

const projects = {
  title: 'Projects',
  lead: 'Published documentation, each project at its own address.',
  files: ['publishing/projects-page.tsx'],
}

const store = (name: string, title: string, lead?: string): PageFrame => ({
  path: `/store/:environment/${name}`,
  title,
  ...(lead && { lead }),
  files: [`store/${name}-page.tsx`],
})

export const pageFrames: PageFrame[] = [
  { path: '/', ...projects },
  { path: '/projects', ...projects },
  project('', 'overview-page'),
  project('/deploys', 'deploys-page'),
  project('/analytics', 'analytics-page'),
  project('/settings/domains', 'domains/domains-page'),
  project('/settings', 'settings-page'),
  project('/settings/:section', 'settings-page'),
  store('animals', 'Animals'),
  store(
    'categories',
    'Categories',
    'Group animals by category. An animal may also have a category ID without a name.',
  ),
  store('orders', 'Orders'),
  store('keys', 'API keys'),
  store('webhooks', 'Webhooks'),
  { path: '/account', title: 'Account', files: ['accounts/account-page.tsx'] },
  {
    path: '/account/activity',
    title: 'Activity',
    lead: 'What you did, and what was done to your account, projects and domains. Entries are kept for 400 days and cannot be changed.',
    files: ['accounts/activity-page.tsx'],
  },
  {
    path: '/audit-log',
    title: 'Audit log',
    lead: 'Who changed accounts, plans, tokens, keys, projects, deploys, domains and webhooks. Entries are kept for 400 days and cannot be changed.',
    files: ['accounts/audit-page.tsx'],
  },
  {
    path: '/members',
    title: 'Members',
    lead: 'Operators see and change everything. Members have their own projects.',
    files: ['accounts/members-page.tsx'],
  },
  {
    path: '/system',
    title: 'System',
    lead: 'The program that runs the store and publishes the projects.',
    files: ['system/system-page.tsx'],
  },
]

/** The title and introduction of the page at this pattern. */
export function headOf(path: string): Pick<PageFrame, 'title' | 'lead'> {
  const frame = pageFrames.find((each) => each.path === path)
  if (frame === undefined) throw new Error(`no page at ${path}`)
  const { lead, title } = frame
  return { title, ...(lead && { lead }) }
}
