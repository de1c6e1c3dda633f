// Which settings the files of a deploy set: site.yaml (or .yml), and _redirects.
import { prepareQuery } from '../database/tables.ts'
import { readContent } from '../deploys/files.ts'
import type { DeployKey } from '../deploys/records/deploy-row.ts'
import type { FileSource } from '../object-storage/read-objects.ts'
import { redirectsFile } from '../redirects/read-redirects.ts'
import { decodeSource } from '../render/sources/decode-source.ts'
import { settingsFiles } from '../render/sources/settings.ts'
import { readYamlFields } from '../render/sources/yaml-fields.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { settingNames } from './records/schema.ts'

type SettingName = (typeof settingNames)[number]

/** A larger file is not read: it has been built, so that it would be. */
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
): Promise<SettingName[]> {
  const found = await source.read.all(sourcesNamed, deploy)
  const redirects = found.some(({ path }) => path === redirectsFile) ? ['redirects' as const] : []
  const file = settingsFiles.flatMap((name) => found.find(({ path }) => path === name) ?? [])[0]
  if (!isRendered || !file || file.size > maxBytes) return redirects
  const bytes = await readContent(source, file.hash)
  const fields = bytes && readFields(bytes, file.path)
  return settingNames.filter(
    (name) => fields?.has(name) || (redirects as SettingName[]).includes(name),
  )
}

function readFields(bytes: Uint8Array, file: string): ReadonlyMap<string, unknown> | undefined {
  try {
    return readYamlFields(decodeSource(bytes, file), { file, firstLine: 1 })
  } catch (error) {
    if (error instanceof DeployFailure) return undefined
    throw error
  }
}
