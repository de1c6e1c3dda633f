// The groups of the management API's operations, as its OpenAPI document lists them.

export const managementTags = {
  session: 'Signing in and out, and the one-time links that lead there.',
  account: "The caller's own account: profile, password, sessions, access tokens.",
  members: 'For operators: accounts, plans and invitations.',
  projects: 'Documentation projects.',
  deploys: 'What is published of a project, and what it was before.',
  domains: 'Custom domains: the DNS records they need, and what stands in the way.',
  store: 'For operators: the environments of the store, and what they hold.',
  animals: 'For operators: the animals of an environment.',
  categories: 'For operators: the categories of an environment.',
  orders: 'For operators: the orders of an environment.',
  'api-keys': "For operators: the keys of the store's API.",
  webhooks: 'For operators: who is told what happens in an environment.',
  system: 'For operators: how the program fares.',
} as const

export type ManagementTag = keyof typeof managementTags
