// Handlers of the operations on the settings of a site.

import type { AuditOrigin } from '#kit/audit/record-audit.ts'
import { originOf, recordAudit } from '#kit/audit/record-audit.ts'
import { transactionsUnder } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { lockPublishing } from '../database/publishing-state.ts'
import type { ObjectReader } from '../objects/read-objects.ts'
import { targetOf } from '../projects/change-projects.ts'
import { findDeploy, findProjectById } from '../projects/find-project.ts'
import { getOwnProject } from '../projects/routes.ts'
import { findSiteImages } from '../site-images/records/image-rows.ts'
import { wireImage } from '../site-images/records/schema.ts'
import { findSettingsProblems } from './check-settings.ts'
import { findSettingsOfFiles } from './find-settings-of-files.ts'
import { operations } from './operations.ts'
import { rebuildSite } from './rebuild-site.ts'
import { type SiteSettings, settingNames } from './records/schema.ts'
import { findSiteSettings, saveSiteSettings } from './records/settings-rows.ts'

type Context = Pick<PublishingContext, 'builds' | 'clock' | 'database' | 'freeSpace'> & {
  objects: ObjectReader
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Returns the names of what has changed; undefined if the project was deleted. */
const changeSettings = transactionsUnder(lockPublishing)(
  async (session, id: string, settings: SiteSettings, origin: AuditOrigin) => {
    const project = await findProjectById(session, id)
    if (!project) return undefined
    const before = await findSiteSettings(session, id)
    const changed = settingNames.filter((name) => !isSame(before[name], settings[name]))
    if (changed.length === 0) return changed
    await saveSiteSettings(session, id, settings, origin.at)
    const detail = { settings: changed.join(', ') }
    await recordAudit(session, origin, 'project.site_settings_changed', targetOf(project), detail)
    return changed
  },
)

export function siteSettingsRoutes(context: Context): Route[] {
  const { builds, clock, database, freeSpace, objects } = context
  const { read } = database
  return [
    route(operations.getSiteSettings, async ({ caller, params }) => {
      const { id, liveDeploy } = await getOwnProject(read, caller, params.slug, 'read')
      const [settings, { logo, favicon }, live] = await Promise.all([
        findSiteSettings(read, id),
        findSiteImages(read, id),
        liveDeploy === null ? undefined : findDeploy(read, id, liveDeploy),
      ])
      const images = {
        logo: logo ? wireImage(logo) : null,
        favicon: favicon ? wireImage(favicon) : null,
      }
      if (!live) return { settings, images, live: null }
      const kind = live.kind ?? 'ready'
      const key = { project: id, number: live.number }
      const files = await findSettingsOfFiles({ read, objects }, key, kind === 'rendered')
      return { settings, images, live: { number: live.number, kind, files } }
    }),
    route(operations.setSiteSettings, async (call) => {
      const { body: settings, caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const details = findSettingsProblems(settings)
      if (details.length > 0) {
        const [{ message } = { message: '' }] = details
        throw new AppError('invalid_body', message, { details })
      }
      await freeSpace.require()
      const origin = originOf(call, clock())
      const changed = await changeSettings(database, project.id, settings, origin)
      if (!changed) throw new AppError('project_not_found', 'The project has been deleted.')
      // Also if nothing has changed: the build may have failed before.
      const deploy = await rebuildSite(database, project, origin)
      builds.wake()
      return { settings, deploy: deploy ?? null }
    }),
  ]
}
