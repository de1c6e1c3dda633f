// The operations on the settings of a site and on its uploaded images. A change is in the audit log, and is
// applied without an upload: the newest deploy of the site is built again from its sources, which are kept with it.

import { Type } from 'typebox'
import { readBody } from '#kit/api/read-body.ts'
import { type AuditDetail, type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { toTimestamp } from '#kit/clock.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { toWire } from '#kit/schema/described-schema.ts'
import { DeployFailure } from '#renderer/site-files/site-file.ts'
import {
  imageTypes,
  readChosen,
  readSettingsFile,
  settingsFiles,
} from '#renderer/sources/settings.ts'
import { maxSiteImageBytes } from '../../../client/values/limits.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { prepare, prepareQuery } from '../database/tables.ts'
import { createDeploy } from '../deploys/create-deploy.ts'
import { contentHash, dropUnreferenced, insertContents, readContent } from '../deploys/files.ts'
import { type DeployKey, deployKey, findDeploy } from '../deploys/records/deploy-row.ts'
import type { Deploy } from '../deploys/records/schema.ts'
import type { FileSource, ObjectReader } from '../objects/read-objects.ts'
import { type FoundProject, getProject, targetOf } from '../projects/find-project.ts'
import { planLimits, planOf } from '../projects/plan-limits.ts'
import { projectRoutesOf } from '../projects/routes.ts'
import { readRedirects, redirectsFile } from '../sites/redirects.ts'
import { type ReadImage, readImage } from './read-image.ts'
import {
  findSiteImages,
  findSiteSettings,
  inFormOfFile,
  saveSiteSettings,
  setSiteImage,
} from './records/rows.ts'
import {
  type ImageName,
  mediaTypes,
  RemovedSiteImage,
  SavedSiteImage,
  SavedSiteSettings,
  SettingsOfFiles,
  type SiteImage,
  SiteSettings,
  SiteSettingsState,
} from './records/schema.ts'

type Context = PublishingContext & { objects: ObjectReader }

/** Of each side, in pixels. */
const maxImagePixels = 4096
const types = Object.values(mediaTypes)

const route = projectRoutesOf<Context>('projects')

export const siteSettingsRoutes = [
  route('GET /projects/{slug}/site-settings', 'getSiteSettings', {
    summary: 'Get the settings of a site',
    needs: 'read',
    scope: 'projects:read',
    returns: SiteSettingsState,
    async handle({ project: { id, liveDeploy } }, { database, objects }) {
      const { read } = database
      const [settings, { favicon = null, logo = null }, live] = await Promise.all([
        findSiteSettings(read, id),
        findSiteImages(read, id),
        liveDeploy === null ? undefined : findDeploy(read, id, liveDeploy),
      ])
      const images = { logo, favicon }
      if (!live) return { settings, images, live: null }
      const { kind, number } = { ...live, kind: live.kind ?? ('ready' as const) }
      const files = await findSettingsOfFiles({ read, objects }, { project: id, number }, kind)
      return { settings, images, live: { number, kind, files } }
    },
  }),
  route('PUT /projects/{slug}/site-settings', 'setSiteSettings', {
    summary: 'Set the settings of a site',
    description:
      'The live deploy is built again from its sources, as a new deploy. What site.yaml and _redirects of a deploy set is used instead.',
    needs: 'edit',
    scope: 'projects:write',
    body: SiteSettings,
    returns: SavedSiteSettings,
    errors: ['limit_reached'],
    async handle({ body: settings, origin, project }, context) {
      const details = findProblems(settings)
      const [first] = details
      if (first) throw new AppError('invalid_body', first.message, { details })
      await context.freeSpace.require()
      const deploy = await apply(context, origin, project, async (session) => {
        const before = await findSiteSettings(session, project.id)
        const changed = (Object.keys(before) as (keyof SiteSettings)[]).filter(
          (name) => JSON.stringify(before[name]) !== JSON.stringify(settings[name]),
        )
        if (changed.length === 0) return undefined
        await saveSiteSettings(session, project.id, settings, origin.at)
        return { settings: changed.join(', ') }
      })
      return { settings, deploy }
    },
  }),
  route('GET /projects/{slug}/site-images/{image}', 'getSiteImage', {
    summary: 'Get the uploaded logo or favicon of a site',
    needs: 'read',
    scope: 'projects:read',
    download: Object.fromEntries(types.map((type) => [type, Type.String()])),
    errors: ['image_not_found'],
    async handle({ params, project }, { database: { read }, objects }) {
      const name = readName(params.image)
      const image = (await findSiteImages(read, project.id))[name]
      const bytes = image && (await readContent({ read, objects }, image.hash))
      if (!bytes) throw imageNotFound()
      const { type } = image
      return { mediaType: mediaTypes[type], fileName: `${name}.${type}`, parts: onePart(bytes) }
    },
  }),
  route('PUT /projects/{slug}/site-images/{image}', 'setSiteImage', {
    summary: 'Upload the logo or favicon of a site',
    description: `A logo is SVG, PNG, WebP or JPEG, a favicon SVG, PNG or ICO, by its content; at most ${maxSiteImageBytes / 1024 / 1024} MB and ${maxImagePixels} pixels on each side. It is used instead of the path in the settings, unless site.yaml of a deploy sets one. The live deploy is built again, as after a change of the settings.`,
    needs: 'edit',
    scope: 'projects:write',
    upload: {
      mediaTypes: [...types, 'image/vnd.microsoft.icon', 'application/octet-stream'],
      maxBytes: maxSiteImageBytes,
    },
    returns: SavedSiteImage,
    errors: ['image_not_found', 'invalid_body', 'limit_reached'],
    async handle({ origin, params, project, request }, context) {
      const name = readName(params.image)
      await context.freeSpace.require()
      const bytes = await readBody(request, maxSiteImageBytes)
      const image = {
        ...checkImage(name, readImage(bytes)),
        ...{ hash: contentHash(bytes), size: bytes.length },
        uploadedAt: toTimestamp(origin.at),
      }
      const change = changeImage(project.id, name, origin.at, { image, bytes })
      const deploy = await apply(context, origin, project, change)
      const stored = (await findSiteImages(context.database.read, project.id))[name]
      return { image: stored ?? image, deploy }
    },
  }),
  route('DELETE /projects/{slug}/site-images/{image}', 'removeSiteImage', {
    summary: 'Remove the uploaded logo or favicon of a site',
    description: 'The live deploy is built again without it.',
    needs: 'edit',
    scope: 'projects:write',
    returns: RemovedSiteImage,
    errors: ['image_not_found', 'limit_reached'],
    async handle({ origin, params, project }, context) {
      const removal = changeImage(project.id, readName(params.image), origin.at)
      return { deploy: await apply(context, origin, project, removal) }
    },
  }),
] as const

/** Gives the number of the deploy that applies it; null if there is nothing to build. */
async function apply(
  { builds, database }: Context,
  origin: AuditOrigin,
  project: FoundProject,
  change: Change,
) {
  await changeProject(database, project.id, change, origin)
  // Also if nothing has changed: the build may have failed before.
  const deploy = await rebuildSite(database, project, origin)
  builds.wake()
  return deploy ?? null
}

/** Gives what the entry of the audit log says; undefined if nothing has changed. */
type Change = (session: Session) => Promise<AuditDetail | undefined>

const changeProject = locked(async (session, id: string, change: Change, origin: AuditOrigin) => {
  const project = await getProject(session, id)
  const detail = await change(session)
  if (!detail) return
  await recordAudit(session, origin, 'project.site_settings_changed', targetOf(project), detail)
})

/** What is wrong with settings before they are saved. The rules are those of the files that can set them. */
function findProblems(settings: SiteSettings): { path: string; message: string }[] {
  const details: { path: string; message: string }[] = []
  const note = (path: string, message: string): void => void details.push({ path, message })
  readChosen(inFormOfFile(settings), () => true, note)
  const { problems } = readRedirects(Buffer.from(settings.redirects))
  for (const { line, message } of problems.slice(0, 20))
    note('redirects', line === null ? message : `line ${line}: ${message}`)
  return details
}

/** A larger file is not read: it is shown as if it set nothing. */
const maxFileBytes = 256 * 1024

const sourcesNamed = prepareQuery<DeployKey>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .innerJoin('files', 'files.hash', 'deploy_sources.hash')
    .select(['deploy_sources.path', 'files.hash', 'files.size'])
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
    .where('path', 'in', [...settingsFiles, redirectsFile])
    .orderBy('path'),
)

/** What the files of a deploy set: site.yaml (or .yml), and _redirects. */
async function findSettingsOfFiles(
  source: FileSource,
  deploy: DeployKey,
  kind: 'ready' | 'rendered',
): Promise<SettingsOfFiles> {
  const rows = await source.read.all(sourcesNamed, deploy)
  const read = async (names: readonly string[]) => {
    const file = rows.find(({ path }) => names.includes(path))
    const bytes = file && file.size <= maxFileBytes && (await readContent(source, file.hash))
    return bytes ? { bytes, file: file.path } : undefined
  }
  const redirects = await read([redirectsFile])
  const settings = kind === 'rendered' ? await read(settingsFiles) : undefined
  const { colour, description, favicon, logo, navigation, title } = settings
    ? readAccepted(settings)
    : {}
  return toWire(SettingsOfFiles, {
    ...{ title, description, logo, favicon, colour: colour?.light, darkColour: colour?.dark },
    navigation: navigation?.map(({ entries, title = null }) => {
      return { title, pages: entries.map(({ path }) => path) }
    }),
    redirects: redirects && new TextDecoder().decode(redirects.bytes),
  })
}

/** Its build has accepted it, though an earlier version may have been less strict. */
function readAccepted({ bytes, file }: { bytes: Uint8Array; file: string }) {
  try {
    return readSettingsFile(bytes, { file, hasFile: () => true })
  } catch (error) {
    if (error instanceof DeployFailure) return {}
    throw error
  }
}

/** Sets an image, or removes it. A file is written with its reference, and deleted with the last one. */
function changeImage(
  project: string,
  name: ImageName,
  now: number,
  upload?: { image: SiteImage; bytes: Uint8Array },
): Change {
  return async (session) => {
    const before = (await findSiteImages(session, project))[name]
    if (!upload && !before) throw imageNotFound()
    const { bytes, image } = upload ?? {}
    if (image?.hash === before?.hash) return undefined
    if (image && bytes) await insertContents(session, [{ hash: image.hash, bytes }])
    await setSiteImage(session, project, name, image)
    if (before) await dropUnreferenced(session, [before], now)
    return { settings: name, file: image?.type ?? null }
  }
}

async function* onePart(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The name in a path. Throws `image_not_found`. */
function readName(text: string): ImageName {
  if (!Object.hasOwn(imageTypes, text)) throw imageNotFound()
  return text as ImageName
}

const imageNotFound = () =>
  new AppError('image_not_found', 'No such image was uploaded for this site.')

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })
const titles = { svg: 'SVG', png: 'PNG', webp: 'WebP', jpg: 'JPEG', ico: 'ICO' }

/** Throws `invalid_body`. */
function checkImage(name: ImageName, image: ReadImage | undefined): ReadImage {
  const accepted = Object.entries(titles).filter(([type]) => imageTypes[name].includes(type))
  // `SVG, PNG, or ICO`
  const types = alternatives.format(accepted.map(([, title]) => title))
  const refuse = (message: string) =>
    new AppError('invalid_body', message, { details: [{ path: '', message }] })
  if (!image) throw refuse(`The file is no image, or it is damaged. Use ${types}.`)
  if (!imageTypes[name].includes(image.type))
    throw refuse(`The ${name} cannot be in the format ${titles[image.type]}. Use ${types}.`)
  const sides = [image.width, image.height].filter((side) => side !== null)
  if (sides.some((side) => side < 1 || side > maxImagePixels)) {
    const size = sides.join(' × ')
    throw refuse(`The image has ${size} pixels. Each side may have 1 to ${maxImagePixels}.`)
  }
  return image
}

const newestOfSite = prepare.select(
  'deploys',
  ['number', 'state', 'source', 'rebuild_of'],
  {
    project_id: 'project',
    preview: null,
    state: { in: ['receiving', 'uploaded', 'building', 'live'] },
  },
  { orderBy: ['number desc'], limit: 1 },
)
const sourcesOf = prepare.select('deploy_sources', ['path', 'hash'], deployKey, {
  orderBy: ['path'],
  limit: 'max',
})

/**
 * Call it after the settings were saved. Returns the number of the deploy that applies them; undefined before the first
 * deploy. Throws `limit_reached`.
 */
async function rebuildSite(
  database: Database,
  project: FoundProject,
  origin: AuditOrigin,
): Promise<number | undefined> {
  const newest = await findOne(database.read, newestOfSite, { project: project.id })
  if (!newest) return undefined
  const number = Number(newest.number)
  // Its build has not begun, and reads the new settings.
  if (newest.state === 'receiving' || newest.state === 'uploaded') return number
  const limits = planLimits[await planOf(database.read, project)]
  const query = { project: project.id, number, max: limits.files + 1 }
  const files = await database.read.all(sourcesOf, query)
  try {
    return await createDeploy(database, {
      ...{ projectId: project.id, source: newest.source as Deploy['source'], files, limits },
      ...{ message: 'Site settings changed', origin },
      // The deploy that brought the sources.
      rebuild: { of: Number(newest.rebuild_of ?? number), newest: number },
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error
    // A deploy that was created since reads the new settings.
    const created = await findOne(database.read, newestOfSite, { project: project.id })
    return created && Number(created.number)
  }
}
