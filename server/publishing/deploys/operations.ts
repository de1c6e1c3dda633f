// The operations on deploys, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import { maxArchiveBytes, maxFileBytes } from '../projects/plan-limits.ts'
import * as schema from './records/schema.ts'

export const operations = declareOperations(
  { tag: 'deploys', access: 'account', errors: ['project_not_found'] },
  {
    listDeploys: {
      route: 'GET /projects/{slug}/deploys',
      summary: 'List the deploys of a project, newest first',
      scope: 'projects:read',
      isForDeployTokens: true,
      query: schema.ListDeploysQuery,
      returns: schema.Deploys,
    },
    getDeploy: {
      route: 'GET /projects/{slug}/deploys/{number}',
      summary: 'Get a deploy, or wait for its progress',
      scope: 'projects:read',
      isForDeployTokens: true,
      query: schema.GetDeployQuery,
      returns: schema.Deploy,
      errors: ['deploy_not_found'],
    },
    getDeployReport: {
      route: 'GET /projects/{slug}/deploys/{number}/report',
      summary: 'Get what the build found in the sources',
      description: 'Broken links, missing images and pages that nothing leads to.',
      scope: 'projects:read',
      isForDeployTokens: true,
      returns: schema.DeployReport,
      errors: ['deploy_not_found'],
    },
    findMissingFiles: {
      route: 'POST /projects/{slug}/files/missing',
      summary: 'Find out which files must be uploaded',
      description: 'The project already has the other files from earlier uploads or deploys.',
      scope: 'deploys:write',
      isForDeployTokens: true,
      body: schema.FileHashes,
      maxBodyBytes: 2 * 1024 * 1024,
      returns: schema.MissingFiles,
      errors: ['role_required'],
    },
    uploadFile: {
      route: 'PUT /projects/{slug}/files/{hash}',
      summary: 'Upload a file',
      description: 'The file is kept for one day, or as long as a deploy uses it.',
      scope: 'deploys:write',
      isForDeployTokens: true,
      upload: { mediaTypes: ['application/octet-stream'], maxBytes: maxFileBytes },
      isFrequent: true,
      errors: ['role_required', 'limit_reached', 'invalid_parameter'],
    },
    createDeploy: {
      route: 'POST /projects/{slug}/deploys',
      summary: 'Deploy uploaded files',
      scope: 'deploys:write',
      isForDeployTokens: true,
      body: schema.NewDeploy,
      maxBodyBytes: 8 * 1024 * 1024,
      status: 201,
      returns: schema.Deploy,
      errors: ['role_required', 'files_missing', 'limit_reached', 'conflict'],
    },
    deployArchive: {
      route: 'POST /projects/{slug}/archives',
      summary: 'Deploy an archive',
      description:
        'A .zip or .tar.gz file. If one folder contains all files, it is removed from their paths.',
      scope: 'deploys:write',
      isForDeployTokens: true,
      query: schema.DeployArchiveQuery,
      upload: {
        mediaTypes: [
          'application/zip',
          'application/gzip',
          'application/x-gzip',
          'application/x-tar',
          'application/octet-stream',
        ],
        maxBytes: maxArchiveBytes,
      },
      status: 201,
      returns: schema.Deploy,
      errors: ['role_required', 'invalid_archive', 'limit_reached', 'conflict'],
    },
    restoreDeploy: {
      route: 'POST /projects/{slug}/deploys/{number}/restore',
      summary: 'Make an earlier deploy live again',
      scope: 'deploys:write',
      returns: schema.Deploy,
      errors: ['role_required', 'deploy_not_found', 'conflict'],
    },
  },
)
