// The operations on deploys, as the management API declares them.
import { operation } from '../../platform/management/operation.ts'
import { maxArchiveBytes, maxFileBytes } from '../projects/plan-limits.ts'
import {
  Deploy,
  Deploys,
  FileHashes,
  GetDeployQuery,
  ListDeploysQuery,
  MissingFiles,
  NewDeploy,
} from './records/schema.ts'

const tag = 'deploys'

export const listDeploys = operation({
  route: 'GET /projects/{slug}/deploys',
  operationId: 'listDeploys',
  tag,
  summary: 'List the deploys of a project, newest first',
  access: 'account',
  scope: 'projects:read',
  query: ListDeploysQuery,
  status: 200,
  answer: Deploys,
  errors: ['project_not_found'],
})

export const getDeploy = operation({
  route: 'GET /projects/{slug}/deploys/{number}',
  operationId: 'getDeploy',
  tag,
  summary: 'Get a deploy, or wait for its progress',
  access: 'account',
  scope: 'projects:read',
  query: GetDeployQuery,
  status: 200,
  answer: Deploy,
  errors: ['project_not_found', 'deploy_not_found'],
})

export const findMissingFiles = operation({
  route: 'POST /projects/{slug}/files/missing',
  operationId: 'findMissingFiles',
  tag,
  summary: 'Find out which files must be uploaded',
  description: 'The project already has the other files from earlier uploads or deploys.',
  access: 'account',
  scope: 'deploys:write',
  body: FileHashes,
  maxBodyBytes: 2 * 1024 * 1024,
  status: 200,
  answer: MissingFiles,
  errors: ['project_not_found'],
})

export const uploadFile = operation({
  route: 'PUT /projects/{slug}/files/{hash}',
  operationId: 'uploadFile',
  tag,
  summary: 'Upload a file',
  description: 'The file is kept for one day, or as long as a deploy uses it.',
  access: 'account',
  scope: 'deploys:write',
  upload: { mediaTypes: ['application/octet-stream'], maxBytes: maxFileBytes },
  isFrequent: true,
  status: 204,
  errors: ['project_not_found', 'limit_reached', 'invalid_parameter'],
})

export const createDeploy = operation({
  route: 'POST /projects/{slug}/deploys',
  operationId: 'createDeploy',
  tag,
  summary: 'Deploy uploaded files',
  access: 'account',
  scope: 'deploys:write',
  body: NewDeploy,
  maxBodyBytes: 8 * 1024 * 1024,
  status: 201,
  answer: Deploy,
  errors: ['project_not_found', 'files_missing', 'limit_reached'],
})

export const deployArchive = operation({
  route: 'POST /projects/{slug}/archives',
  operationId: 'deployArchive',
  tag,
  summary: 'Deploy an archive',
  description:
    'A .zip or .tar.gz file. If one folder contains all files, it is removed from their paths.',
  access: 'account',
  scope: 'deploys:write',
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
  answer: Deploy,
  errors: ['project_not_found', 'invalid_archive', 'limit_reached'],
})

export const restoreDeploy = operation({
  route: 'POST /projects/{slug}/deploys/{number}/restore',
  operationId: 'restoreDeploy',
  tag,
  summary: 'Make an earlier deploy live again',
  access: 'account',
  scope: 'deploys:write',
  status: 200,
  answer: Deploy,
  errors: ['project_not_found', 'deploy_not_found', 'conflict'],
})
