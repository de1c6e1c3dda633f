// Finds the file for a path of a site. Found files are cached. Missing paths are not, because their number is
// unlimited.
import type { FileSource } from '../object-storage/read-objects.ts'
import { candidatesFor, cleanUrl } from './clean-url.ts'
import { type FileFacts, factsOf, maxPaths } from './file-bytes.ts'
import type { FileCache } from './file-cache.ts'
import { containsOrigin, fileWithOrigin } from './file-with-origin.ts'
import { addressOf } from './requested-path.ts'
import { type FoundFile, type PublishedFile, publishedFile, type Site } from './site.ts'

/** Approximate memory of a cached file in addition to its bytes. */
const entryOverheadBytes = 2048
/** The limit for published files. */
const maxFolderDepth = 32

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
    const found = cleanUrl(path, (file) => files.has(file))
    if (found?.kind !== 'file') return found ?? { kind: 'missing' }
    const facts = files.get(found.path) as FileFacts
    const withOrigin =
      containsOrigin(site.isRendered, facts.path) && (await fileWithOrigin(source, facts, origin))
    return keep(site, key, withOrigin || publishedFile(facts, site.isRendered))
  }

  return {
    /** `path` as returned by readTarget; `origin` is the origin of the request, without a slash at the end. */
    async find(site: Site, origin: string, path: string): Promise<FoundFile> {
      const address = addressOf(path)
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
      for (let start = 0; start < pages.length; start += maxPaths) {
        const asked = pages.slice(start, start + maxPaths)
        const files = await factsOf(read, site, asked)
        const facts = asked.map((page) => files.get(page)).find((page) => page !== undefined)
        if (!facts) continue
        // A separate entry: requested by its own address, the same file is an ordinary page with status 200.
        const key = `404 ${facts.path}`
        const kept = site.files.get(key)
        if (kept) {
          kept.isUsed = true
          return kept
        }
        const file = publishedFile(facts, site.isRendered, 404)
        keep(site, key, file)
        return file
      }
      return undefined
    },
  }
}

/** From the nearest folder to the root. */
function notFoundPagesFor(path: string): string[] {
  const folders = path.split('/').slice(0, -1).slice(0, maxFolderDepth)
  const pages = folders.map((_, i) => `${folders.slice(0, i + 1).join('/')}/404.html`)
  return ['404.html', ...pages].reverse()
}
