// Handlers of the operations on the uploaded images of a site.
import { readBody } from '#kit/api/read-body.ts'
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import { imageTypes } from '#renderer/sources/settings.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { contentHash, readContent } from '../deploys/files.ts'
import type { ObjectReader } from '../objects/read-objects.ts'
import { getOwnProject } from '../projects/routes.ts'
import { rebuildSite } from '../site-settings/rebuild-site.ts'
import { changeSiteImage } from './change-images.ts'
import { operations } from './operations.ts'
import { type ReadImage, readImage } from './read-image.ts'
import { findSiteImages, type SiteImageRow } from './records/image-rows.ts'
import {
  type ImageName,
  imageNames,
  maxImageBytes,
  maxImagePixels,
  mediaTypes,
} from './records/image-types.ts'
import { wireImage } from './records/schema.ts'

type Context = Pick<PublishingContext, 'builds' | 'clock' | 'database' | 'freeSpace'> & {
  objects: ObjectReader
}

export function siteImageRoutes(context: Context): Route[] {
  const { builds, clock, database, freeSpace, objects } = context
  const { read } = database
  return [
    route(operations.getSiteImage, async ({ caller, params }) => {
      const { id } = await getOwnProject(read, caller, params.slug, 'read')
      const image = (await findSiteImages(read, id))[readName(params.image)]
      const bytes = image && (await readContent({ read, objects }, image.hash))
      if (!bytes) throw imageNotFound()
      return {
        mediaType: mediaTypes[image.type],
        fileName: `${image.name}.${image.type}`,
        parts: onePart(bytes),
      }
    }),
    route(operations.setSiteImage, async (call) => {
      const { caller, params, request } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const name = readName(params.image)
      await freeSpace.require()
      const bytes = await readBody(request, maxImageBytes)
      const found = checkImage(name, readImage(bytes))
      const origin = originOf(call, clock())
      const file = { hash: contentHash(bytes), size: bytes.length, uploadedAt: origin.at }
      const row: SiteImageRow = { name, ...found, ...file }
      const change = { projectId: project.id, name, image: { row, bytes }, origin }
      if (!(await changeSiteImage(database, change))) throw projectDeleted()
      const deploy = await rebuildSite(database, project, origin)
      builds.wake()
      const stored = (await findSiteImages(read, project.id))[name] ?? row
      return { image: wireImage(stored), deploy: deploy ?? null }
    }),
    route(operations.removeSiteImage, async (call) => {
      const { caller, params } = call
      const project = await getOwnProject(read, caller, params.slug, 'edit')
      const name = readName(params.image)
      const origin = originOf(call, clock())
      const change = { projectId: project.id, name, image: undefined, origin }
      const isRemoved = await changeSiteImage(database, change)
      if (isRemoved === undefined) throw projectDeleted()
      if (!isRemoved) throw imageNotFound()
      const deploy = await rebuildSite(database, project, origin)
      builds.wake()
      return { deploy: deploy ?? null }
    }),
  ]
}

async function* onePart(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The name in a path. Throws `image_not_found`. */
function readName(text: string): ImageName {
  const name = imageNames.find((one) => one === text)
  if (name === undefined) throw imageNotFound()
  return name
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })
const titles = { svg: 'SVG', png: 'PNG', webp: 'WebP', jpg: 'JPEG', ico: 'ICO' }

/** `SVG, PNG, or ICO`. */
function formatsOf(name: ImageName): string {
  const known = Object.entries(titles).filter(([type]) => imageTypes[name].includes(type))
  return alternatives.format(known.map(([, title]) => title))
}

/** Throws `invalid_body`. */
function checkImage(name: ImageName, image: ReadImage | undefined): ReadImage {
  const types = formatsOf(name)
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

function refuse(message: string): AppError {
  return new AppError('invalid_body', message, { details: [{ path: '', message }] })
}

const imageNotFound = () =>
  new AppError('image_not_found', 'No such image was uploaded for this site.')
const projectDeleted = () => new AppError('project_not_found', 'The project has been deleted.')
