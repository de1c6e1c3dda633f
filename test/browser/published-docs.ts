// The whole program with its first project, the store's documentation, published.
import { vi } from 'vitest'
import { firstProjectSlug } from '#publishing/projects/site-origin.ts'
import { type Answer, ask, type RunningStore } from '../running-store.ts'

export interface PublishedDocs {
  store: RunningStore
  /** Without a trailing slash: `http://animal-store.docs.localhost:41234`. */
  origin: string
  /** The paths in the sitemap, with a leading slash. */
  paths: string[]
  /** Fetches a path of the site without a browser. */
  fetch(path: string): Promise<Answer>
}

/** Of a running program with FIRST_PROJECT=on; resolves once the site is live. */
export async function docsOf(store: RunningStore): Promise<PublishedDocs> {
  const { httpPort, platformHost } = store.running.config
  const origin = `http://${firstProjectSlug}.${platformHost}:${httpPort}`
  const base = new URL(origin)
  const fetch = (path: string) => ask(httpPort, base, '', path.slice(1), { key: null })
  const sitemap = await vi.waitFor(
    async () => {
      const { status, text } = await fetch('/sitemap.xml')
      if (status !== 200) throw new Error(`the first project is not live: ${status}`)
      return text
    },
    { timeout: 60_000, interval: 100 },
  )
  const paths = [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address = '']) =>
    address.replace(origin, ''),
  )
  return { store, origin, paths, fetch }
}
