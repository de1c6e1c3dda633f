// The operations on projects, as the management API declares them.
import { operation } from '../../platform/management/operation.ts'
import {
  DeleteProjectQuery,
  ListProjectsQuery,
  NewProject,
  Project,
  ProjectPatch,
  Projects,
} from './schema.ts'

const tag = 'projects'

export const listProjects = operation({
  route: 'GET /projects',
  operationId: 'listProjects',
  tag,
  summary: 'List projects',
  description: 'Members see their own projects, operators see all projects.',
  access: 'account',
  scope: 'projects:read',
  query: ListProjectsQuery,
  status: 200,
  answer: Projects,
  errors: [],
})

export const createProject = operation({
  route: 'POST /projects',
  operationId: 'createProject',
  tag,
  summary: 'Create a project',
  access: 'account',
  scope: 'projects:write',
  body: NewProject,
  status: 201,
  answer: Project,
  errors: ['slug_taken', 'limit_reached'],
})

export const getProject = operation({
  route: 'GET /projects/{slug}',
  operationId: 'getProject',
  tag,
  summary: 'Get a project',
  description: 'By its current slug or a former one.',
  access: 'account',
  scope: 'projects:read',
  status: 200,
  answer: Project,
  errors: ['project_not_found'],
})

export const changeProject = operation({
  route: 'PATCH /projects/{slug}',
  operationId: 'changeProject',
  tag,
  summary: 'Rename a project or change its slug',
  access: 'account',
  scope: 'projects:write',
  body: ProjectPatch,
  status: 200,
  answer: Project,
  errors: ['project_not_found', 'slug_taken', 'limit_reached'],
})

export const deleteProject = operation({
  route: 'DELETE /projects/{slug}',
  operationId: 'deleteProject',
  tag,
  summary: 'Delete a project',
  description:
    'Deletes the project with its deploys and files immediately. Its slugs stay reserved for its owner for 90 days.',
  access: 'account',
  query: DeleteProjectQuery,
  status: 204,
  errors: ['project_not_found'],
})
