// The wire shapes of projects.

import { type Static, Type } from 'typebox'
import { passwordLength } from '#accounts/people/schema.ts'
import {
  count,
  line,
  nullable,
  pageLimit,
  pageOf,
  plainText,
  words,
} from '#kit/schema/described-schema.ts'
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import { Deploy } from '../deploys/records/schema.ts'
import { projectRoles, visibilities } from './project-roles.ts'
import { slugPattern } from './slug.ts'

const name = line(100, 'Display name of the project.')
const slug = Type.String({
  pattern: slugPattern,
  'x-pattern-message':
    'must have 1 to 63 lower-case letters, digits and hyphens, no hyphen at either end',
  description: 'Subdomain of the address of the project.',
})

export const NewProject = Type.Object(
  {
    name,
    slug: Type.Optional({
      ...slug,
      description: 'Derived from the name if omitted; random if its letters are not Latin.',
    }),
  },
  { $id: 'NewProject', description: 'A project to create.' },
)

export const ProjectPatch = Type.Object(
  { name: Type.Optional(name), slug: Type.Optional(slug) },
  {
    $id: 'ProjectPatch',
    description: 'Fields to change. The address of the former slug redirects to the new one.',
  },
)
export type ProjectPatch = Static<typeof ProjectPatch>

const visibility = words(
  visibilities,
  'Who may see the site. public: everyone. password: visitors who enter its password. members: the owner, members of the project and operators.',
)

export const VisibilitySettings = Type.Object(
  {
    visibility,
    password: Type.Optional(
      Type.String({
        ...passwordLength,
        description:
          'For password: what visitors have to enter, 12 to 256 characters. If omitted, the site keeps the password that it has. A new one signs out those who entered an earlier one.',
      }),
    ),
  },
  { $id: 'VisibilitySettings', description: 'Who may see the site of a project.' },
)

const DomainsOfProject = Type.Object(
  {
    count: Type.Integer({ minimum: 0 }),
    primary: nullable(Type.String(), 'Host of the primary.'),
    isPrimaryServed: Type.Boolean({ description: 'Whether visitors see the site there.' }),
    attention: Type.Array(
      Type.Object({
        host: Type.String(),
        badge: words(Object.keys(badges) as Badge[], 'As in the list of domains.'),
      }),
      { description: 'Domains whose owner has to do something.' },
    ),
  },
  { description: 'Its custom domains.' },
)
export type DomainsOfProject = Static<typeof DomainsOfProject>

export const Project = Type.Object(
  {
    id: Type.String(),
    slug,
    formerSlugs: Type.Array(Type.String(), {
      description: 'Former slugs. Their addresses redirect to the current one.',
    }),
    name,
    ownerId: Type.Union([Type.String(), Type.Null()], {
      description: 'ID of the account. Null for a project that belongs to all operators.',
    }),
    role: words(projectRoles, 'Your role. operator: you are an operator, and not the owner.'),
    address: Type.String({ format: 'uri', description: 'URL of the published site.' }),
    visibility,
    liveDeploy: Type.Union([Deploy, Type.Null()], {
      description: 'The deploy that visitors see; null before the first successful deploy.',
    }),
    lastDeploy: Type.Union([Deploy, Type.Null()], {
      description: 'The newest deploy of the site, which may be waiting, building or failed.',
    }),
    domains: DomainsOfProject,
    createdAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Project', description: 'A documentation project.' },
)
export type Project = Static<typeof Project>

export const Projects = pageOf(
  Project,
  'Projects',
  'Projects, ordered by slug.',
  'Value of `after` for the next page; null on the last page.',
)

const amount = (description: string) => count(description)

export const Storage = Type.Object(
  {
    files: amount('Files of all deploys and uploads.'),
    maxFiles: amount('What the plan allows.'),
    bytes: amount('Their size.'),
    maxBytes: amount('What the plan allows.'),
    uploads: Type.Object(
      { files: amount('Files.'), bytes: amount('Their size.') },
      { description: 'Uploads that no deploy uses yet. They are deleted after one day.' },
    ),
  },
  { $id: 'Storage', description: 'What the projects of an account store.' },
)
export type Storage = Static<typeof Storage>

export const ListProjectsQuery = Type.Object({
  limit: pageLimit(50),
  after: Type.Optional(
    Type.String({
      pattern: slugPattern,
      description: 'Only projects whose slug comes after this one.',
    }),
  ),
})

export const SearchQuery = Type.Object({
  text: plainText(253, 'A part of a name, a slug or a host, in upper or lower case.'),
})

/** Of each kind. */
export const maxFound = 5

const named = Type.Object({ slug: Type.String(), name: Type.String() })

export const FoundProjects = Type.Object(
  {
    projects: Type.Array(named, { maxItems: maxFound }),
    domains: Type.Array(Type.Object({ host: Type.String(), project: named }), {
      maxItems: maxFound,
    }),
  },
  { $id: 'FoundProjects', description: 'Projects and custom domains by name.' },
)
export type FoundProjects = Static<typeof FoundProjects>

export const DeleteProjectQuery = Type.Object({
  name: Type.String({ description: 'Name of the project, to confirm the deletion.' }),
})
