// Finds a site by slug. Results are cached until the version of publishing changes, so that the next request sees a
// new live deploy, even if another process switched it.
import { type Awaitable, type Database, withValue } from '#kit/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { toVisibility } from '../projects/visibilities.ts'
import { createSite, type Site } from './site.ts'

type FoundSite =
  | { kind: 'site'; site: Site }
  /** The project has a new slug. */
  | { kind: 'renamed'; slug: string }
  | { kind: 'nothing published' }
  | { kind: 'unknown' }

const maxRemembered = 10_000

const bySlug = prepareQuery<{ slug: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .leftJoin('deploys', (join) =>
      join
        .onRef('deploys.project_id', '=', 'projects.id')
        .onRef('deploys.number', '=', 'projects.live_deploy'),
    )
    .leftJoin('slugs as current', (join) =>
      join.onRef('current.project_id', '=', 'slugs.project_id').on('current.is_current', '=', 1n),
    )
    .select(['slugs.is_current', 'projects.id', 'projects.live_deploy', 'deploys.kind'])
    .select('projects.visibility')
    .select('current.slug as current_slug')
    .where('slugs.slug', '=', param('slug')),
)

export type PreviewOfSite = Pick<Site, 'projectId' | 'number' | 'isRendered' | 'isPrivate'>

/** `forget` is called with a site whose deploy is not live any more. */
export function createSiteFinder(
  database: Database,
  versions: () => Awaitable<bigint>,
  forget: (site: Site) => void,
) {
  const bySlugNow = new Map<string, { version: bigint; found: FoundSite }>()
  // One per project, so that its files are cached once for all its hosts.
  const sites = new Map<string, Site>()

  async function ask(slug: string, version: bigint): Promise<FoundSite> {
    const [row] = await database.read.all(bySlug, { slug })
    if (!row) {
      // Unknown slugs are not cached, because their number is unlimited.
      bySlugNow.delete(slug)
      return { kind: 'unknown' }
    }
    const found = foundIn(row)
    if (bySlugNow.size >= maxRemembered) bySlugNow.clear()
    bySlugNow.set(slug, { version, found })
    return found
  }

  function foundIn(row: NonNullable<(typeof bySlug)['row']>): FoundSite {
    const { id, is_current, live_deploy, current_slug, kind, visibility } = row
    if (is_current !== 1n) {
      return current_slug === null ? { kind: 'unknown' } : { kind: 'renamed', slug: current_slug }
    }
    if (live_deploy === null) return { kind: 'nothing published' }
    const before = sites.get(id)
    const isPrivate = toVisibility(visibility) !== 'public'
    if (before?.number === live_deploy && before.isPrivate === isPrivate)
      return { kind: 'site', site: before }
    if (before) forget(before)
    const site = createSite(id, live_deploy, { isRendered: kind !== 'ready', isPrivate })
    if (sites.size >= maxRemembered) sites.clear()
    sites.set(id, site)
    return { kind: 'site', site }
  }

  /** Of previews, by project and number: their deploys never change. */
  const previews = new Map<string, Site>()

  return {
    /** A deploy that a preview shows. */
    findPreview({ isPrivate, isRendered, number, projectId }: PreviewOfSite): Site {
      const key = `${projectId} ${number} ${isPrivate}`
      const known = previews.get(key)
      if (known) return known
      const site = createSite(projectId, number, { isRendered, isPrivate, isPreview: true })
      if (previews.size >= maxRemembered) previews.clear()
      previews.set(key, site)
      return site
    },
    /** The current state: includes all commits that were acknowledged before the call. */
    find(slug: string): Awaitable<FoundSite> {
      if (!/^[a-z0-9-]{1,63}$/.test(slug)) return { kind: 'unknown' }
      return withValue(versions(), (version) => {
        const known = bySlugNow.get(slug)
        return known?.version === version ? known.found : ask(slug, version)
      })
    },
  }
}
