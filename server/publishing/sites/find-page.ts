// What a site shows for a path: a file, or what its own redirects (`_redirects`) say. A file goes before a redirect that
// is not forced.
import { leadsInCircle, pathWithin, type Redirect } from '../redirects/redirect-table.ts'
import type { FileFinder } from './find-file.ts'
import type { FoundFile, Site } from './site.ts'

type FoundPage =
  | FoundFile
  /** By a rule of the site. `location` may be of another site. */
  | { kind: 'redirected'; location: string; status: number }

/** `path` and `origin` are as for `files.find`. */
export async function findPage(
  files: FileFinder,
  site: Site,
  origin: string,
  path: string,
): Promise<FoundPage> {
  const table = await files.redirectsOf(site)
  const own = table?.find(path)
  if (!table || !own) return await files.find(site, origin, path)
  const find = (other: string): Promise<FoundFile> => files.find(site, origin, other, true)
  const isThere = async (other: string): Promise<boolean> => (await find(other)).kind !== 'missing'

  async function follow({ location, rule }: Redirect): Promise<FoundPage | undefined> {
    if (rule.status === 200) return await show(pathWithin({ location }))
    if (table && own && (await leadsInCircle(table, own, isThere))) return undefined
    return { kind: 'redirected', location, status: rule.status }
  }

  async function show(target: string | undefined): Promise<FoundFile | undefined> {
    if (target === undefined) return undefined
    const found = await find(target)
    const shown = found.kind === 'moved' ? await find(found.to) : found
    return shown.kind === 'file' ? shown : undefined
  }

  const forced = own.rule.isForced ? await follow(own) : undefined
  if (forced) return forced
  const found = await files.find(site, origin, path)
  if (found.kind !== 'missing' || own.rule.isForced) return found
  return (await follow(own)) ?? found
}
