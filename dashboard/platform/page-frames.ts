// What is known of a page before its script runs: its title, its introduction, its files, and what it requests first.
// The server sends it with the page (server/platform/dashboard), so that it is painted at once, the files are requested
// together, and the page starts with the answers. Texts that follow from these are in ../page-texts.ts.

export interface PageFrame {
  /** The pattern of its address; `:slug` is one segment. */
  path: string
  /** `:slug` for that segment of the address. */
  title: string
  lead?: string
  /** The page that it is part of, and the tabs that it is one of. */
  within?: string
  tabs?: string[]
  files: string[]
  /**
   * What the page requests of the API when it opens. Those with a query are of an address without filters. Large or
   * slow ones are left out: without its answer, the page requests them itself.
   */
  requests?: string[]
}

/** The tabs of a project; the settings have sections of their own. */
export const projectTabs = [
  { title: 'Overview', path: '' },
  { title: 'Deploys', path: '/deploys' },
  { title: 'Domains', path: '/settings/domains' },
  { title: 'Analytics', path: '/analytics' },
  { title: 'Project settings', path: '/settings/general' },
] as const

const project = (tab: string, file: string, ...requests: string[]): PageFrame => ({
  path: `/projects/:slug${tab}`,
  title: ':slug',
  within: 'Projects',
  tabs: projectTabs.map(({ title }) => title),
  files: ['publishing/project-layout.tsx', `publishing/${file}.tsx`],
  requests: ['/projects/:slug', ...requests.map((request) => `/projects/:slug${request}`)],
})

const projects = {
  title: 'Projects',
  lead: 'Published documentation, each project at its own address.',
  files: ['publishing/projects-page.tsx'],
  requests: ['/projects?limit=50', '/account/project-invitations', '/storage'],
}

const store = (name: string, title: string, requests: string[], lead?: string): PageFrame => ({
  path: `/store/:environment/${name}`,
  title,
  ...(lead && { lead }),
  files: [`store/${name}-page.tsx`],
  requests: requests.map((request) => `/store/:environment${request}`),
})
const deploys = '/deploys?limit=20'

export const pageFrames: PageFrame[] = [
  { path: '/', ...projects },
  { path: '/projects', ...projects },
  project('', 'overview-page', deploys),
  project('/deploys', 'deploys-page', deploys, '/previews'),
  project('/analytics', 'analytics-page', '/visits?days=30'),
  project('/settings/domains', 'domains/domains-page', '/domains'),
  project('/settings', 'settings-page'),
  project('/settings/:section', 'settings-page'),
  store('animals', 'Animals', ['', '/animals?limit=20', '/categories?limit=100']),
  store(
    'categories',
    'Categories',
    ['/categories?limit=20'],
    'Group animals by category. An animal may also have a category ID without a name.',
  ),
  store('orders', 'Orders', ['/orders?limit=20']),
  store('keys', 'API keys', ['/keys']),
  store('webhooks', 'Webhooks', ['/webhooks']),
  {
    path: '/account',
    title: 'Account',
    files: ['accounts/account-page.tsx'],
    requests: [
      'email-confirmation',
      'identities',
      'passkeys',
      'second-factor',
      'sessions',
      'tokens',
    ].map((part) => `/account/${part}`),
  },
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
    requests: ['/accounts?limit=50', '/invitations'],
  },
  {
    path: '/system',
    title: 'System',
    lead: 'The program that runs the store and publishes the projects.',
    files: ['system/system-page.tsx'],
    requests: ['/system'],
  },
]

/** The title and introduction of the page at this pattern. */
export function headOf(path: string): Pick<PageFrame, 'title' | 'lead'> {
  const frame = pageFrames.find((each) => each.path === path)
  if (frame === undefined) throw new Error(`no page at ${path}`)
  const { lead, title } = frame
  return { title, ...(lead && { lead }) }
}
