// The stored settings of sites, as JSON, and their uploaded images, each of which refers to its file. A build reads them
// when it begins.
import { toTimestamp } from '#kit/clock.ts'
import { findOne, type Session } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import { insertRow, prepare } from '../../database/tables.ts'
import { type ImageName, type SiteImage, SiteSettings } from './schema.ts'

type SiteImages = Partial<Record<ImageName, SiteImage>>

const settingsOf = prepare.select('site_settings', ['settings'], { project_id: 'project' })
const upsert = prepare.upsert(
  'site_settings',
  { project_id: 'project' },
  { settings: 'settings', changed_at: 'now' },
)
const imagesOf = prepare.select('site_images', 'all', { project_id: 'project' })
const removeImage = prepare.delete('site_images', { project_id: 'project', name: 'name' })
/** All of them, whatever was stored. */
export async function findSiteSettings(session: Session, project: string): Promise<SiteSettings> {
  const stored = await findOne(session, settingsOf, { project })
  const unset = Object.entries(SiteSettings.properties).map(([name, schema]) => {
    const type = 'type' in schema ? schema.type : undefined
    return [name, { array: [], string: '' }[String(type)] ?? null]
  })
  return { ...Object.fromEntries(unset), ...(stored && JSON.parse(stored.settings)) }
}

/** As site.yaml would set them. Redirects have a file of their own. */
export function inFormOfFile({ navigation, redirects: _, ...texts }: SiteSettings): object {
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)),
    navigation: navigation.flatMap<unknown>((section) =>
      section.title === null ? section.pages : section,
    ),
  }
}

/** Inside a write. */
export async function saveSiteSettings(
  session: Session,
  project: string,
  settings: SiteSettings,
  now: number,
): Promise<void> {
  await session.all(upsert, { project, settings: JSON.stringify(settings), now })
}

export async function findSiteImages(session: Session, project: string): Promise<SiteImages> {
  const images: SiteImages = {}
  for (const row of await session.all(imagesOf, { project })) {
    const { name, projectId: _, uploadedAt, ...image } = storedRow(row)
    const uploaded = { ...image, uploadedAt: toTimestamp(uploadedAt) }
    images[name as ImageName] = uploaded as SiteImage
  }
  return images
}

/** Inside a write that has written the file. Undefined: there is none any more. */
export async function setSiteImage(
  session: Session,
  project: string,
  name: ImageName,
  image: SiteImage | undefined,
): Promise<void> {
  await session.all(removeImage, { project, name })
  if (!image) return
  const { uploadedAt, ...row } = image
  const stored = { projectId: project, name, ...row, uploadedAt: Date.parse(uploadedAt) }
  await insertRow(session, 'site_images', stored)
}
