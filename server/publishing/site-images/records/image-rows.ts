// The rows of uploaded images: each refers to its file.
import { findOne, type Session } from '#kit/database/database.ts'
import { prepareInsert, prepareQuery } from '../../database/tables.ts'
import { type ImageName, type ImageType, imageNames } from './image-types.ts'

export interface SiteImageRow {
  name: ImageName
  hash: string
  type: ImageType
  size: number
  width: number | null
  height: number | null
  uploadedAt: number
}

const ofProject = prepareQuery<{ project: string }>()((db, param) =>
  db
    .selectFrom('site_images')
    .selectAll()
    .where('project_id', '=', param('project'))
    .limit(imageNames.length),
)
const remove = prepareQuery<{ project: string; name: string }>()((db, param) =>
  db
    .deleteFrom('site_images')
    .where((eb) => eb.and({ project_id: param('project'), name: param('name') }))
    .returning('hash'),
)
const insert = prepareInsert('site_images', [
  'project_id',
  'name',
  'hash',
  'type',
  'size',
  'width',
  'height',
  'uploaded_at',
])

/** The images of a project, by name. */
export async function findSiteImages(
  session: Session,
  project: string,
): Promise<Partial<Record<ImageName, SiteImageRow>>> {
  const rows = await session.all(ofProject, { project })
  const images = rows.map(({ hash, height, name, size, type, uploaded_at, width }) => ({
    ...{ name: name as ImageName, hash, type: type as ImageType, size: Number(size) },
    width: width === null ? null : Number(width),
    height: height === null ? null : Number(height),
    uploadedAt: Number(uploaded_at),
  }))
  return Object.fromEntries(images.map((image) => [image.name, image]))
}

/** Inside a write that has written the file. There is none of this name. */
export async function insertSiteImage(
  session: Session,
  project: string,
  { uploadedAt, ...image }: SiteImageRow,
): Promise<void> {
  await session.all(insert, { project_id: project, uploaded_at: uploadedAt, ...image })
}

/** Inside a write. The hash of the removed one; undefined without one. */
export async function removeSiteImage(
  session: Session,
  project: string,
  name: string,
): Promise<string | undefined> {
  return (await findOne(session, remove, { project, name }))?.hash
}
