// What the first project is made of: the guides in docs/, and the OpenAPI document of this very store, with
// its own addresses.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeYaml } from './platform/api/api-app.ts'
import { projectRoot } from './platform/config/config.ts'
import type { Store } from './store/store.ts'

/** By canonical path. */
export async function firstProjectSources(store: Store): Promise<Map<string, Uint8Array>> {
  const folder = join(projectRoot, 'docs')
  const names = (await readdir(folder)).filter((name) => /\.(?:md|ya?ml|png|svg)$/.test(name))
  const sources = new Map<string, Uint8Array>()
  for (const name of names.sort()) sources.set(name, await readFile(join(folder, name)))
  sources.set('openapi.yaml', Buffer.from(writeYaml(store.openApi())))
  return sources
}
