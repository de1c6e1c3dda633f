// The operations on previews.

import { type Static, Type } from 'typebox'
import { passwordLength } from '#accounts/people/schema.ts'
import { AppError } from '#kit/errors.ts'
import { listOf, nullable, toWire } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { promotePreviewTransaction } from '../deploys/finish-deploy.ts'
import { findDeploy } from '../deploys/records/deploy-row.ts'
import { Deploy } from '../deploys/records/schema.ts'
import { type FoundProject, throwDeleted } from '../projects/find-project.ts'
import { planLimits, planOf } from '../projects/plan-limits.ts'
import { type HashPassword, hashVisitorPassword, projectRoutesOf } from '../projects/routes.ts'
import { endPreviewTransaction, putPreviewTransaction } from './change-previews.ts'
import { isPreviewName, previewLabel } from './records/preview-name.ts'
import { listPreviews, type PreviewRow } from './records/preview-rows.ts'

const Preview = Type.Object(
  {
    name: Type.String(),
    address: Type.String({
      format: 'uri',
      description: 'Its URL. No list shows it, and search engines do not index it.',
    }),
    deploy: nullable(
      Type.Integer({ minimum: 1 }),
      'Number of the deploy that it shows; null until one is built.',
    ),
    hasPassword: Type.Boolean({ description: 'Visitors have to enter a password.' }),
    createdAt: Type.String({ format: 'date-time' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'When it ends. Each deploy to it starts its time anew.',
    }),
  },
  { $id: 'Preview', description: 'A deploy at an address of its own.' },
)
export type Preview = Static<typeof Preview>

const Previews = listOf(Preview, 'Previews', 'Previews, last deployed first.')

const PreviewSettings = Type.Object(
  {
    password: Type.Optional(
      nullable(
        Type.String(passwordLength),
        'What visitors have to enter, 12 to 256 characters; null for none. Unchanged if omitted. It signs out those who entered an earlier one.',
      ),
    ),
  },
  { $id: 'PreviewSettings', description: 'Settings of a preview.' },
)

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

const route = projectRoutesOf<Context>('deploys')

export const previewRoutes = [
  route('GET /projects/{slug}/previews', 'listPreviews', {
    summary: 'List the previews of a project',
    needs: 'read',
    scope: 'projects:read',
    isForDeployTokens: true,
    returns: Previews,
    async handle({ project }, context) {
      const { clock, database } = context
      const now = clock()
      const rows = (await listPreviews(database.read, project.id)).filter(
        ({ expiresAt }) => expiresAt > now,
      )
      return { items: rows.slice(0, maxListed).map((row) => show(context, project, row)) }
    },
  }),
  route('PUT /projects/{slug}/previews/{preview}', 'putPreview', {
    summary: 'Create a preview, or set its password',
    description:
      'Deploying to a preview creates it, too. Create it first if nobody should see its first deploy without a password.',
    needs: 'edit',
    scope: 'deploys:write',
    isForDeployTokens: true,
    body: PreviewSettings,
    returns: Preview,
    errors: ['invalid_parameter', 'conflict'],
    async handle(call, context) {
      const { database, hashPassword, platformHost, previewAgeMs } = context
      const { body, origin, params, project } = call
      const name = readName(params.preview)
      const { password } = body
      const passwordHash =
        typeof password === 'string'
          ? await hashVisitorPassword(hashPassword, call, password)
          : password
      const { previews: maxPreviews } = planLimits[await planOf(database.read, project)]
      const expiresAt = origin.at + previewAgeMs
      const opening = { name, expiresAt, maxPreviews, platformHost }
      const change = { project: project.id, opening, passwordHash, origin }
      const row = await putPreviewTransaction(database, change)
      ended(context)
      return show(context, project, row)
    },
  }),
  route('POST /projects/{slug}/previews/{preview}/promote', 'promotePreview', {
    summary: 'Make the deploy of a preview live',
    description: 'Without a build: visitors see exactly what the preview shows. The preview ends.',
    needs: 'edit',
    scope: 'deploys:write',
    returns: Deploy,
    errors: ['preview_not_found', 'conflict'],
    async handle({ origin, params: { preview }, project: { id: project } }, context) {
      const { database, platformHost } = context
      const promotion = { project, preview, platformHost, origin }
      const number = await promotePreviewTransaction(database, promotion)
      ended(context)
      return (await findDeploy(database.read, project, number)) ?? throwDeleted()
    },
  }),
  route('DELETE /projects/{slug}/previews/{preview}', 'endPreview', {
    summary: 'End a preview',
    description: 'No node serves it from then on, and its deploys are deleted.',
    needs: 'edit',
    scope: 'deploys:write',
    isForDeployTokens: true,
    errors: ['preview_not_found'],
    async handle({ origin, params: { preview: name }, project: { id: project } }, context) {
      const { database, platformHost } = context
      await endPreviewTransaction(database, { project, name, platformHost, origin })
      ended(context)
    },
  }),
] as const

function show({ siteOrigin }: Context, { slug }: FoundProject, row: PreviewRow): Preview {
  const { name, number: deploy, passwordHash } = row
  const address = `${siteOrigin(previewLabel(name, slug))}/`
  return toWire(Preview, { ...row, address, deploy, hasPassword: passwordHash !== null })
}

function ended({ builds, projectsChanged }: Context): void {
  builds.wake()
  projectsChanged()
}

function readName(text: string): string {
  if (isPreviewName(text)) return text
  const message =
    'preview must have 3 to 40 lower-case letters, digits and single hyphens, no hyphen at either end.'
  throw new AppError('invalid_parameter', message, { details: [{ path: 'preview', message }] })
}
