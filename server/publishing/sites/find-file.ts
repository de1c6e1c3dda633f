// Finds the file for a path of a site. Found files are cached. Missing paths are not, because their number is
// unlimited.

import { hash } from 'node:crypto'
import type { Encoding } from '#kit/http/response/ready-response.ts'
import { addressOf } from '#renderer/site-files/requested-path.ts'
import { filesWithOrigin, originPlaceholder } from '#renderer/sources/render-input.ts'
import type { FileSource } from '../objects/read-objects.ts'
import { candidatesFor, cleanUrl } from './clean-url.ts'
import { compress, type FileFacts, factsOf, locate } from './file-bytes.ts'
import {
  createRedirectTable,
  maxRedirectsBytes,
  readRedirects,
  redirectsFile,
} from './redirects.ts'
import {
  bodyOf,
  type FileCache,
  type FoundFile,
  formOf,
  type PublishedFile,
  publishedFile,
  type Site,
  type SiteRedirects,
} from './site.ts'

/** A larger file is served unchanged, with the placeholder of the origin. */
const maxBytes = 8 * 1024 * 1024
const compressFromBytes = 1024

function containsOrigin(isRendered: boolean, path: string): boolean {
  return isRendered && filesWithOrigin.includes(path)
}

/**
 * A file that contains the absolute address of its site (renderer/sources/render-input.ts), with all its forms in memory. It
 * is created for the origin of the request, because the database has only a placeholder. `origin` has no slash at the end.
 */
async function fileWithOrigin(
  source: FileSource,
  facts: FileFacts,
  site: Pick<Site, 'isPreview' | 'isPrivate' | 'isRendered'>,
  origin: string,
): Promise<PublishedFile | undefined> {
  if (facts.size > maxBytes) return undefined
  const located = await locate(source, facts.hash, 'identity', 0, facts.size)
  const stored = Buffer.from(await located())
  // Latin-1 preserves all bytes, in any encoding.
  const text = stored.toString('latin1').replaceAll(originPlaceholder, origin)
  const bytes = Buffer.from(text, 'latin1')
  const { brotli: br, gzip } = bytes.length < compressFromBytes ? {} : await compress(bytes, 5)
  const own = { path: facts.path, hash: hash('sha256', bytes, 'hex'), size: bytes.length }
  const file = publishedFile({ ...own, gzip: gzip?.length, br: br?.length }, site)
  for (const [encoding, body] of Object.entries({ identity: bytes, gzip, br })) {
    if (body) formOf(file, encoding as Encoding).body = bodyOf(body)
  }
  return file
}

/** Approximate memory of a cached file in addition to its bytes. */
const entryOverheadBytes = 2048
/** The limit for published files. */
const maxFolderDepth = 32
/** Memory of the rules in relation to the size of their file. */
const rulesOverhead = 6

export type FileFinder = ReturnType<typeof createFileFinder>

export function createFileFinder(source: FileSource, cache: FileCache) {
  const { read } = source

  function keep(site: Site, key: string, file: PublishedFile): FoundFile {
    const inMemory = Object.values(file.forms).filter(({ body }) => body !== undefined)
    file.drop = () => {
      if (site.files.get(key) === file) site.files.delete(key)
      // Responses that are still being sent continue from the database, unless the file is not stored there.
      if (inMemory.length > 0) return
      for (const form of Object.values(file.forms)) form.body = undefined
    }
    site.files.set(key, file)
    cache.put(file, entryOverheadBytes + inMemory.reduce((sum, { length }) => sum + length, 0))
    return { kind: 'file', file }
  }

  async function look(site: Site, origin: string, path: string, key: string): Promise<FoundFile> {
    const files = await factsOf(read, site, candidatesFor(path))
    const cleanPath = cleanUrl(path, (file) => files.has(file))
    if (cleanPath?.kind !== 'file') return cleanPath ?? { kind: 'missing' }
    const facts = files.get(cleanPath.path) as FileFacts
    const withOrigin =
      containsOrigin(site.isRendered, facts.path) &&
      (await fileWithOrigin(source, facts, site, origin))
    return keep(site, key, withOrigin || publishedFile(facts, site))
  }

  async function readSiteRedirects(site: Site): Promise<SiteRedirects> {
    const facts = (await factsOf(read, site, [redirectsFile])).get(redirectsFile)
    const drop = () => {
      site.redirects = undefined
    }
    const none: SiteRedirects = { table: undefined, isUsed: false, bytes: 0, drop }
    if (!facts || facts.size > maxRedirectsBytes) return none
    const located = await locate(source, facts.hash, 'identity', 0, facts.size)
    const { rules } = readRedirects(await located())
    const redirects = { ...none, table: createRedirectTable(rules) }
    cache.put(redirects, entryOverheadBytes + facts.size * rulesOverhead)
    return redirects
  }

  return {
    /** The table of the site's own redirects; undefined if it has none. Read once. */
    async redirectsOf(site: Site): Promise<SiteRedirects['table']> {
      const cached = site.redirects
      if (cached && !(cached instanceof Promise)) {
        cached.isUsed = true
        return cached.table
      }
      const asked = cached ?? readSiteRedirects(site)
      site.redirects = asked
      try {
        const loaded = await asked
        if (site.redirects === asked) site.redirects = loaded
        return loaded.table
      } catch (error) {
        site.redirects = undefined
        throw error
      }
    },

    /** Drops the files of a deploy that is not live any more. One that is just being looked up is evicted over time. */
    forget(site: Site): void {
      for (const file of site.files.values()) cache.remove(file)
      if (site.redirects && !(site.redirects instanceof Promise)) cache.remove(site.redirects)
    },

    /**
     * `_redirects` itself is no page. `path` as returned by readTarget; `origin` is the origin of the request, without a
     * slash at the end. What a rule asks for is kept apart from addresses: a forced rule may hide the file at its own.
     */
    async find(site: Site, origin: string, path: string, isForRule = false): Promise<FoundFile> {
      if (path === redirectsFile || path === `${redirectsFile}/`) return { kind: 'missing' }
      const address = isForRule ? `rule ${addressOf(path)}` : addressOf(path)
      // Addresses contain no space, so that the key is unique.
      const key = containsOrigin(site.isRendered, path) ? `${address} ${origin}` : address
      const file = site.files.get(key)
      if (file) {
        file.isUsed = true
        return { kind: 'file', file }
      }
      // Concurrent requests for the same path share one lookup.
      return await site.pendingLookups.getOrInsertComputed(key, () =>
        look(site, origin, path, key).finally(() => site.pendingLookups.delete(key)),
      )
    },

    /** The site's own 404 page, from the nearest folder above the path. */
    async findNotFoundPage(site: Site, path: string): Promise<PublishedFile | undefined> {
      const pages = notFoundPagesFor(path)
      const files = await factsOf(read, site, pages)
      const facts = pages.map((page) => files.get(page)).find((page) => page !== undefined)
      if (!facts) return undefined
      // A separate entry: requested by its own address, the same file is an ordinary page with status 200.
      const key = `404 ${facts.path}`
      const cached = site.files.get(key)
      if (cached) {
        cached.isUsed = true
        return cached
      }
      const file = publishedFile(facts, site, 404)
      keep(site, key, file)
      return file
    },
  }
}

/** From the nearest folder to the root. */
function notFoundPagesFor(path: string): string[] {
  const folders = path.split('/').slice(0, -1).slice(0, maxFolderDepth)
  const pages = folders.map((_, i) => `${folders.slice(0, i + 1).join('/')}/404.html`)
  return ['404.html', ...pages].reverse()
}
