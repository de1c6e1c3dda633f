// The handler of the outline of a deploy.
import { type Route, route } from '../../platform/management/route.ts'
import { getDeploy, readNumber } from '../deploys/routes.ts'
import type { FileSource } from '../object-storage/read-objects.ts'
import { getOwnProject } from '../projects/routes.ts'
import { findOutline } from './find-outline.ts'
import { operations } from './operations.ts'

export function outlineRoutes(source: FileSource): Route[] {
  return [
    route(operations.getDeployOutline, async ({ caller, params }) => {
      const project = await getOwnProject(source.read, caller, params.slug, 'read')
      const deploy = await getDeploy(source.read, project, readNumber(params.number))
      return await findOutline(source, project.id, deploy)
    }),
  ]
}
