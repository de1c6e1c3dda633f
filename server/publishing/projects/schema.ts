// The wire shapes of projects.
import { type Static, Type } from 'typebox'
import { Deploy } from '../deploys/records/schema.ts'
import { slugPattern } from './slug.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^\\P{Cc}*\\S\\P{Cc}*$',
  'x-pattern-message': 'must have a visible character and no control characters',
  description: 'What people call it.',
})
const slug = Type.String({
  pattern: slugPattern,
  'x-pattern-message':
    'must have 1 to 63 lower-case letters, digits and hyphens, no hyphen at either end',
  description: 'The first label of its address.',
})

export const NewProject = Type.Object(
  {
    name,
    slug: Type.Optional({ ...slug, description: 'Made of the name when it is left out.' }),
  },
  { $id: 'NewProject', description: 'A project to create.' },
)
export interface NewProject {
  name: string
  slug?: string
}

export const ProjectPatch = Type.Object(
  { name: Type.Optional(name), slug: Type.Optional(slug) },
  {
    $id: 'ProjectPatch',
    description: 'What is to change. The address of the slug before redirects to the new one.',
  },
)
export interface ProjectPatch {
  name?: string
  slug?: string
}

export const Project = Type.Object(
  {
    id: Type.String(),
    slug,
    formerSlugs: Type.Array(Type.String(), {
      description: 'Their addresses redirect to this one.',
    }),
    name,
    ownerId: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the account. Null for what belongs to the operators in common.',
    }),
    address: Type.String({ format: 'uri', description: 'Where it is published.' }),
    liveDeploy: Type.Union([Deploy, Type.Null()], {
      description: 'What visitors see; null before the first successful deploy.',
    }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Project', description: 'A documentation project.' },
)
export type Project = Static<typeof Project>

export const Projects = Type.Object(
  {
    items: Type.Array(Project, { maxItems: 100 }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The `after` of the next page; null at the end.',
    }),
  },
  { $id: 'Projects', description: 'Projects by slug.' },
)
export type Projects = Static<typeof Projects>

export const ListProjectsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'At most so many.' }),
  after: Type.Optional(
    Type.String({ pattern: slugPattern, description: 'Only projects whose slug comes later.' }),
  ),
})

export const DeleteProjectQuery = Type.Object({
  name: Type.String({ description: 'The name of the project, as a confirmation.' }),
})
