// Who may use a slug: a project takes one as its current slug and keeps its former ones; those of a deleted project stay
// reserved for its owner for a while, and then anybody can take them. slug.ts says what a slug looks like.
import { getOne, type Session } from '#kit/database/database.ts'
import { findStored } from '#kit/database/plain-row.ts'
import { AppError } from '#kit/errors.ts'
import { prepare } from '../database/tables.ts'
import { refuseSlug } from './slug.ts'

/** How long only the owner of a deleted project can use its slugs again. */
const slugRetentionMs = 90 * 24 * 3_600_000
/** How long the address of a slug that belonged to another project removes what its site left in browsers. */
const clearedMs = 30 * 24 * 3_600_000
/** Maximum number of slugs reserved for one owner, so that creating and deleting projects cannot reserve them all. */
const maxHeldSlugs = 100
/** Maximum number of former slugs of a project. */
const maxFormerSlugs = 20

const slugRow = prepare.select('slugs', ['project_id', 'owner_id', 'held_until', 'cleared_until'], {
  slug: 'slug',
})
const assignSlug = prepare.upsert(
  'slugs',
  { slug: 'slug' },
  {
    ...{ project_id: 'project', owner_id: 'owner', is_current: 1n, held_until: null },
    cleared_until: 'cleared',
  },
)
const retireSlug = prepare.update(
  'slugs',
  { is_current: 0n },
  { project_id: 'project', is_current: 1n },
)
const countSlugs = prepare.count('slugs', { project_id: 'project' })
const release = prepare.update(
  'slugs',
  { project_id: null, is_current: 0n, held_until: 'until' },
  { project_id: 'project' },
)
const heldSlugs = prepare.select(
  'slugs',
  ['slug'],
  { owner_id: 'owner', project_id: null },
  { orderBy: ['held_until desc', 'slug'] },
)
/** Anybody can use it. The row shows that its address was used. */
const freeSlug = prepare.update('slugs', { owner_id: null, held_until: 0n }, { slug: 'slug' })

/**
 * Makes a slug the current one of a project; it may be a former one of its own. Throws `invalid_body`, `slug_taken`, and
 * `limit_reached`.
 */
export async function takeSlug(
  session: Session,
  slug: string,
  project: string,
  owner: string | null,
  now: number,
): Promise<void> {
  const why = refuseSlug(slug)
  if (why !== undefined) {
    const message = `slug cannot be ${slug}: ${why}. Choose another slug.`
    throw new AppError('invalid_body', message, { details: [{ path: 'slug', message }] })
  }
  const row = await findStored(session, slugRow, { slug })
  const isOfDeleted = row?.projectId === null
  const isFree = !row || (isOfDeleted && (row.ownerId === owner || now >= Number(row.heldUntil)))
  const isOwn = row?.projectId === project
  if (!isFree && !isOwn) {
    throw new AppError('slug_taken', `The slug ${slug} is already in use. Choose another slug.`, {
      details: [{ path: 'slug', message: `${slug} belongs to another project.` }],
    })
  }
  const { count } = await getOne(session, countSlugs, { project })
  if (!isOwn && Number(count) > maxFormerSlugs) {
    const message = `A project may have at most ${maxFormerSlugs} former slugs. Use one of them again.`
    throw new AppError('limit_reached', message)
  }
  await session.all(retireSlug, { project })
  // Browsers may remember the site of a deleted project.
  const cleared = isOfDeleted ? now + clearedMs : (row?.clearedUntil ?? null)
  await session.all(assignSlug, { slug, project, owner, cleared })
}

/** Of a project that is deleted: reserves its slugs for the owner, and frees the oldest reserved ones beyond the limit. */
export async function releaseSlugs(
  session: Session,
  project: string,
  owner: string | null,
  now: number,
): Promise<void> {
  await session.all(release, { project, until: now + slugRetentionMs })
  const held = owner === null ? [] : await session.all(heldSlugs, { owner })
  for (const { slug } of held.slice(maxHeldSlugs)) await session.all(freeSlug, { slug })
}
