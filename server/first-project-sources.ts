// What the first project is made of: the guides in docs/, and the OpenAPI document of this very store, with
// its own addresses: the guides name those of an installation on a laptop. Readers can send requests to staging.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeYaml } from './platform/api/api-app.ts'
import { type Config, projectRoot } from './platform/config/config.ts'
import type { Store } from './store/store.ts'

/** By canonical path. */
export async function firstProjectSources(
  store: Store,
  config: Config,
  siteOrigin: (slug: string) => string,
  canTry: (server: string) => boolean,
): Promise<Map<string, Uint8Array>> {
  const folder = join(projectRoot, 'docs')
  const names = (await readdir(folder)).filter((name) => /\.(?:md|ya?ml|png|svg)$/.test(name))
  const sources = new Map<string, Uint8Array>()
  const replace = (text: string): string => withOwnAddresses(text, config, siteOrigin)
  for (const name of names.sort()) {
    const bytes = await readFile(join(folder, name))
    sources.set(name, name.endsWith('.md') ? Buffer.from(replace(bytes.toString())) : bytes)
  }
  sources.set('openapi.yaml', Buffer.from(writeYaml(store.openApi())))
  // Unless pages must not connect to it, as without TLS.
  const server = config.stagingBaseUrl.href
  const settings = sources.get('site.yaml') ?? new Uint8Array()
  const tryIt = Buffer.from(writeYaml({ tryIt: { server } }))
  if (canTry(server)) sources.set('site.yaml', Buffer.concat([settings, tryIt]))
  return sources
}

/** Replaces the default addresses with those of this installation. */
function withOwnAddresses(
  text: string,
  { baseUrl, dashboardUrl, stagingBaseUrl }: Config,
  siteOrigin: (slug: string) => string,
): string {
  return text
    .replaceAll('http://localhost:8080/v1', baseUrl.href)
    .replaceAll('http://staging.localhost:8080/v1', stagingBaseUrl.href)
    .replaceAll('http://<slug>.docs.localhost:8080', siteOrigin('<slug>'))
    .replaceAll('http://localhost:8080', dashboardUrl.origin)
}
