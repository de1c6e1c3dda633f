// The operations on previews, and the end of those that have expired.

import { type Static, Type } from 'typebox'
import { passwordLength } from '#accounts/people/schema.ts'
import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Database, each } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { deleteInBatches } from '#kit/jobs/delete-old-rows.ts'
import { listOf, nullable, toWire } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { changePublished, publishingTransaction } from '../database/publishing-state.ts'
import { promotePreviewTransaction } from '../deploys/finish-deploy.ts'
import { findDeploy } from '../deploys/records/deploy-row.ts'
import { Deploy } from '../deploys/records/schema.ts'
import { type FoundProject, getProject, targetOf, throwDeleted } from '../projects/find-project.ts'
import { planLimits, planOf } from '../projects/plan-limits.ts'
import { type HashPassword, hashVisitorPassword, projectRoutesOf } from '../projects/routes.ts'
import { isPreviewName, previewLabel } from './records/preview-name.ts'
import {
  endPreview,
  findPreview,
  getPreview,
  listExpiredPreviews,
  listPreviews,
  openPreview,
  type PreviewOpening,
  type PreviewRow,
  setPreviewPassword,
} from './records/preview-rows.ts'

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

type Context = Omit<PublishingContext, 'allowances' | 'log'> & { hashPassword: HashPassword }

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
    async handle({ origin, params, project: { id } }, context) {
      const { database, platformHost: host } = context
      const number = await promotePreviewTransaction(database, id, params.preview, host, origin)
      ended(context)
      return (await findDeploy(database.read, id, number)) ?? throwDeleted()
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
      await endPreviewTransaction(database, project, name, platformHost, origin)
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

interface PreviewChange {
  project: string
  opening: PreviewOpening
  /** Null: none. Undefined: unchanged. */
  passwordHash: string | null | undefined
  origin: AuditOrigin
}

/** Creates it if there is none. Throws `project_not_found` and `conflict`. */
const putPreviewTransaction = publishingTransaction(
  async (session, change: PreviewChange): Promise<PreviewRow> => {
    const { opening, origin, passwordHash, project: id } = change
    const target = targetOf(await getProject(session, id))
    const { name } = opening
    const before = await findPreview(session, id, name)
    // A new password does not let it live longer.
    if (!before || before.expiresAt <= origin.at) {
      await openPreview(session, target, opening, origin)
    }
    if (passwordHash !== undefined && passwordHash !== (before?.passwordHash ?? null)) {
      await session.all(setPreviewPassword, { project: id, name, hash: passwordHash })
      const detail = { preview: name, password: passwordHash !== null }
      await recordAudit(session, origin, 'deploy.preview_password_changed', target, detail)
    }
    return await getPreview(session, id, name)
  },
)

/** Throws `preview_not_found`. */
const endPreviewTransaction = publishingTransaction(
  async (session, id: string, name: string, platformHost: string, origin: AuditOrigin) => {
    const project = await getProject(session, id)
    const preview = await getPreview(session, id, name)
    await endPreview(session, preview, platformHost, origin.at)
    const detail = { preview: name }
    await recordAudit(session, origin, 'deploy.preview_ended', targetOf(project), detail)
  },
)

const maxEnded = 100

const endExpiredTransaction = each(
  async (session, { now, platformHost }: { now: number; platformHost: string }) => {
    const found = await listExpiredPreviews(session, now, maxEnded)
    if (found.length === 0) return false
    await changePublished(session)
    for (const { name, project_id: projectId } of found) {
      await endPreview(session, { name, projectId }, platformHost, now)
    }
    return found.length === maxEnded
  },
)

/** Removes those whose time is over, which no node serves any more. Returns whether there were any. */
export async function endExpiredPreviews(
  database: Database,
  platformHost: string,
  now: number,
): Promise<boolean> {
  if ((await listExpiredPreviews(database.read, now, 1)).length === 0) return false
  await deleteInBatches(() => database.write(endExpiredTransaction, { now, platformHost }))
  return true
}
