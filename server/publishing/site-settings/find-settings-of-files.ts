// What the files of a deploy set: site.yaml (or .yml), and _redirects.

import { DeployFailure } from '#renderer/site-files/deploy-failure.ts'
import { readColour } from '#renderer/sources/colour.ts'
import { decodeSource } from '#renderer/sources/decode-source.ts'
import { readNavigation } from '#renderer/sources/navigation-setting.ts'
import { settingsFiles } from '#renderer/sources/settings.ts'
import { readYamlFields, type YamlField } from '#renderer/sources/yaml-fields.ts'
import { prepareQuery } from '../database/tables.ts'
import { readContent } from '../deploys/files.ts'
import type { DeployKey } from '../deploys/records/deploy-row.ts'
import type { FileSource } from '../objects/read-objects.ts'
import { redirectsFile } from '../redirects/read-redirects.ts'
import type { SiteSettingsState } from './records/schema.ts'

type FileSettings = NonNullable<SiteSettingsState['live']>['files']

/** A larger file is not read: it is shown as if it set nothing. */
const maxBytes = 256 * 1024

const sourcesNamed = prepareQuery<DeployKey>()((db, param) =>
  db
    .selectFrom('deploy_sources')
    .innerJoin('files', 'files.hash', 'deploy_sources.hash')
    .select(['deploy_sources.path', 'files.hash', 'files.size'])
    .where((eb) => eb.and({ project_id: param('project'), number: param('number') }))
    .where('path', 'in', [...settingsFiles, redirectsFile])
    .orderBy('path'),
)

export async function findSettingsOfFiles(
  source: FileSource,
  deploy: DeployKey,
  isRendered: boolean,
): Promise<FileSettings> {
  const found = await source.read.all(sourcesNamed, deploy)
  const read = async (names: readonly string[]) => {
    const file = names.flatMap((name) => found.find(({ path }) => path === name) ?? [])[0]
    const bytes = file && file.size <= maxBytes ? await readContent(source, file.hash) : undefined
    return file && bytes && { bytes, path: file.path }
  }
  const redirects = await read([redirectsFile])
  const settings = isRendered ? await read(settingsFiles) : undefined
  const fields = settings && readFields(settings.bytes, settings.path)
  const text = (name: string): string | null => {
    const value = fields?.get(name)?.value
    return typeof value === 'string' ? value.trim() : null
  }
  const colour = readColour(fields?.get('colour')?.value)
  const navigation = fields?.get('navigation')
  return {
    title: text('title'),
    description: text('description'),
    colour: typeof colour === 'string' ? null : colour.light,
    darkColour: typeof colour === 'string' ? null : colour.dark,
    logo: text('logo'),
    favicon: text('favicon'),
    navigation: navigation ? sectionsOf(navigation) : null,
    redirects: redirects ? new TextDecoder().decode(redirects.bytes) : null,
  }
}

/** The file was accepted by its build. */
function sectionsOf(field: YamlField): FileSettings['navigation'] {
  return readNavigation(field, '').map(({ entries, title = null }) => {
    return { title, pages: entries.map(({ path }) => path) }
  })
}

function readFields(bytes: Uint8Array, file: string): ReadonlyMap<string, YamlField> | undefined {
  try {
    return readYamlFields(decodeSource(bytes, file), { file, firstLine: 1 })
  } catch (error) {
    if (error instanceof DeployFailure) return undefined
    throw error
  }
}
