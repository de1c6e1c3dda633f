// Finds the outline of a deploy: reads its front page and the first style sheets that it links from the published
// files. Nothing is stored, because a page of the usual size is read within a millisecond or two.
import { findOne } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { readContent } from '../deploys/files.ts'
import type { DeployKey } from '../deploys/records/deploy-row.ts'
import type { Deploy } from '../deploys/records/schema.ts'
import type { FileSource } from '../object-storage/read-objects.ts'
import { emptyOutline, findStyleSheets, readOutline } from './read-outline.ts'
import type { DeployOutline } from './schema.ts'

/** A larger file is not read. */
const maxFileBytes = 1024 * 1024
const maxStyleSheets = 3

const fileOf = prepareQuery<DeployKey & { path: string }>()((db, param) =>
  db
    .selectFrom('deploy_files')
    .innerJoin('files', 'files.hash', 'deploy_files.hash')
    .select(['files.hash', 'files.size'])
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
    .where('path', '=', param('path')),
)

/** Empty until the deploy is built. */
export async function findOutline(
  source: FileSource,
  project: string,
  { kind, number, state }: Deploy,
): Promise<DeployOutline> {
  async function textOf(path: string): Promise<string | undefined> {
    const file = await findOne(source.read, fileOf, { project, number, path })
    if (!file || file.size > maxFileBytes) return undefined
    const bytes = await readContent(source, file.hash)
    return bytes && new TextDecoder().decode(bytes)
  }
  const isBuilt = state !== 'uploaded' && state !== 'building' && state !== 'failed'
  const html = isBuilt ? await textOf('index.html') : undefined
  if (html === undefined) return { ...emptyOutline, kind }
  // The colours of the theme are known to clients.
  const paths = kind === 'ready' ? styleSheetsOf(html) : []
  const styles = await Promise.all(paths.map(textOf))
  return {
    ...readOutline(
      html,
      styles.filter((style) => style !== undefined),
    ),
    kind,
  }
}

/** Paths of published files. */
function styleSheetsOf(html: string): string[] {
  const origin = 'https://origin.invalid'
  return findStyleSheets(html, maxStyleSheets).flatMap((href) => {
    const url = URL.parse(href, `${origin}/`)
    if (url?.origin !== origin) return []
    try {
      return [decodeURIComponent(url.pathname.slice(1))]
    } catch {
      return []
    }
  })
}
