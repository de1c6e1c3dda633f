// Handlers of the operations on previews.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { promotePreviewTransaction } from '../deploys/finish-deploy.ts'
import { type FoundProject, findDeploy } from '../projects/find-project.ts'
import { planLimits, planOf } from '../projects/plan-limits.ts'
import { getOwnProject } from '../projects/routes.ts'
import { type HashPassword, hashVisitorPassword } from '../projects/visitor-password.ts'
import { endPreviewTransaction, putPreviewTransaction } from './change-previews.ts'
import { operations } from './operations.ts'
import { isPreviewName, previewLabel } from './records/preview-name.ts'
import { listPreviews, type PreviewRow } from './records/preview-rows.ts'
import type { Preview } from './schema.ts'

type Context = Pick<
  PublishingContext,
  | 'builds'
  | 'clock'
  | 'database'
  | 'platformHost'
  | 'previewAgeMs'
  | 'projectsChanged'
  | 'siteOrigin'
> & { hashPassword: HashPassword }

const maxListed = 100

export function previewRoutes(context: Context): Route[] {
  const { builds, clock, database, platformHost, previewAgeMs, siteOrigin } = context
  const { read } = database

  function show({ slug }: FoundProject, row: PreviewRow): Preview {
    const { createdAt, expiresAt, name, number, passwordHash } = row
    return {
      name,
      address: `${siteOrigin(previewLabel(name, slug))}/`,
      deploy: number,
      hasPassword: passwordHash !== null,
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
    }
  }

  return [
    route(operations.listPreviews, async ({ caller, params }) => {
      const project = await getOwnProject(read, caller, params.slug, 'read')
      const now = clock()
      const rows = (await listPreviews(read, project.id)).filter(({ expiresAt }) => expiresAt > now)
      return { items: rows.slice(0, maxListed).map((row) => show(project, row)) }
    }),
    route(operations.putPreview, async (call) => {
      const { body, caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const name = readName(params.preview)
      const { password } = body
      const passwordHash =
        typeof password === 'string'
          ? await hashVisitorPassword(context.hashPassword, call, password)
          : password
      const now = clock()
      const { previews: maxPreviews } = planLimits[await planOf(read, project)]
      const opening = { name, now, expiresAt: now + previewAgeMs, maxPreviews, platformHost }
      const origin = originOf(call, now)
      const change = { project: project.id, opening, passwordHash, origin }
      const row = await database.write(putPreviewTransaction, change)
      if (!row) throw new AppError('project_not_found', 'The project has been deleted.')
      ended()
      return show(project, row)
    }),
    route(operations.promotePreview, async (call) => {
      const { caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const number = await database.write(promotePreviewTransaction, {
        ...{ project: project.id, preview: params.preview, platformHost },
        origin: originOf(call, clock()),
      })
      const deploy = number && (await findDeploy(read, project.id, number))
      if (!deploy) throw previewNotFound()
      ended()
      return deploy
    }),
    route(operations.endPreview, async (call) => {
      const { caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const end = { project: project.id, name: params.preview, platformHost }
      const origin = originOf(call, clock())
      if (!(await database.write(endPreviewTransaction, { ...end, origin }))) {
        throw previewNotFound()
      }
      ended()
      return undefined
    }),
  ]

  function ended(): void {
    builds.wake()
    context.projectsChanged()
  }
}

function readName(text: string): string {
  if (isPreviewName(text)) return text
  const message =
    'preview must have 3 to 40 lower-case letters, digits and single hyphens, no hyphen at either end.'
  throw new AppError('invalid_parameter', message, { details: [{ path: 'preview', message }] })
}

function previewNotFound(): AppError {
  return new AppError('preview_not_found', 'The project has no such preview, or it has ended.')
}
