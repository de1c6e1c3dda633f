// What the first project is made of: the guides in docs/, and the OpenAPI document of this very store, with
// its own addresses: the guides name those of an installation on a laptop. Readers can send requests to staging.
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeYaml } from '#kit/api/openapi.ts'
import { type Config, projectRoot } from '#kit/config/config.ts'
import type { Store } from '#store/store.ts'

export async function firstProjectSources(
  store: Store,
  config: Config,
  siteOrigin: (slug: string) => string,
  canTry: (server: string) => boolean,
) {
  const folder = join(projectRoot, 'docs')
  const names = (await readdir(folder)).filter((name) => /\.(?:md|ya?ml|png|svg)$/.test(name))
  const sources = new Map<string, Uint8Array>()
  const replace = (text: string): string => withOwnAddresses(text, config, siteOrigin)
  for (const name of names.sort()) {
    const bytes = await readFile(join(folder, name))
    sources.set(name, name.endsWith('.md') ? Buffer.from(replace(bytes.toString())) : bytes)
  }
  const document = store.openApi()
  const { href: server } = config.stagingBaseUrl
  // Unless pages must not connect to it, as without TLS.
  const more = canTry(server) ? { tryIt: { server } } : undefined
  const contents = [...sources].map(([name, bytes]) => [name, hash('sha256', bytes)])
  return {
    version: hash('sha256', JSON.stringify([contents, document, more])),
    // YAML takes long to write.
    readSources() {
      sources.set('openapi.yaml', Buffer.from(writeYaml(document)))
      if (!more) return sources
      const settings = sources.get('site.yaml') ?? new Uint8Array()
      return new Map([
        ...sources,
        ['site.yaml', Buffer.concat([settings, Buffer.from(writeYaml(more))])],
      ])
    },
  }
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
