// The operations on projects, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import * as schema from './schema.ts'

export const operations = declareOperations(
  { tag: 'projects', access: 'account' },
  {
    listProjects: {
      route: 'GET /projects',
      summary: 'List projects',
      description:
        'Accounts see the projects that they own or are a member of, operators see all projects.',
      scope: 'projects:read',
      query: schema.ListProjectsQuery,
      returns: schema.Projects,
    },
    searchProjects: {
      route: 'GET /search',
      summary: 'Find projects and custom domains by a part of their names',
      description: 'Accounts find those that they own or are a member of, operators all.',
      scope: 'projects:read',
      query: schema.SearchQuery,
      returns: schema.FoundProjects,
    },
    getStorage: {
      route: 'GET /storage',
      summary: 'Get what your projects store, and what your plan allows',
      description:
        'Each deploy counts with its sources and its site. When a deploy does not fit, the oldest superseded and failed deploys are removed.',
      scope: 'projects:read',
      returns: schema.Storage,
    },
    createProject: {
      route: 'POST /projects',
      summary: 'Create a project',
      scope: 'projects:write',
      body: schema.NewProject,
      status: 201,
      returns: schema.Project,
      errors: ['slug_taken', 'limit_reached'],
    },
    getProject: {
      route: 'GET /projects/{slug}',
      summary: 'Get a project',
      description: 'By its current slug or a former one.',
      scope: 'projects:read',
      returns: schema.Project,
      errors: ['project_not_found'],
    },
    changeProject: {
      route: 'PATCH /projects/{slug}',
      summary: 'Rename a project or change its slug',
      scope: 'projects:write',
      body: schema.ProjectPatch,
      returns: schema.Project,
      errors: ['project_not_found', 'role_required', 'slug_taken', 'limit_reached'],
    },
    setVisibility: {
      route: 'PUT /projects/{slug}/visibility',
      summary: 'Set who may see the site of a project',
      description:
        'Takes effect immediately, at every host of the project. Previews without a password of their own follow.',
      body: schema.VisibilitySettings,
      returns: schema.Project,
      errors: ['project_not_found', 'role_required'],
    },
    deleteProject: {
      route: 'DELETE /projects/{slug}',
      summary: 'Delete a project',
      description:
        'Deletes the project with its deploys and files immediately. Its slugs stay reserved for its owner for 90 days.',
      query: schema.DeleteProjectQuery,
      errors: ['project_not_found', 'role_required'],
    },
  },
)
