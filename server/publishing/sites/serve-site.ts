// Serves the paths of a site, found by its slug or a custom domain. Returns the status of the response; throws if
// the database is unavailable.
import type { ServerResponse } from 'node:http'
import type { Database } from '../../platform/database/database.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { createFileCache } from './file-cache.ts'
import { createFileSender } from './file-sender.ts'
import { createFileFinder } from './find-file.ts'
import { addressOf, readTarget } from './requested-path.ts'
import { redirect } from './response-headers.ts'
import type { Site } from './site.ts'
import { prefersJson, sendSiteError } from './site-error.ts'

/** For GET and HEAD. `origin` returns the origin of the request, without a slash at the end. */
export type ServeSite = (
  request: ApiRequest,
  response: ServerResponse,
  site: Site,
  origin: () => string,
) => number | Promise<number>

/** All sites share `maxBytes` of memory. */
export function createSiteServer(database: Database, maxBytes: number): ServeSite {
  const cache = createFileCache(maxBytes)
  const files = createFileFinder(database, cache)
  const sendFile = createFileSender(database, cache)

  async function find(
    request: ApiRequest,
    response: ServerResponse,
    site: Site,
    origin: string,
  ): Promise<number> {
    const target = readTarget(request.url as string)
    if (target === 'malformed') return sendSiteError(request, response, 'malformed')
    if (target === 'nowhere') return await sendNotFound(request, response, site, '')
    const found = await files.find(site, origin, target.path)
    switch (found.kind) {
      case 'file':
        return await sendFile(request, response, found.file)
      case 'moved':
        return redirect(request, response, addressOf(found.to) + target.query)
      case 'missing':
        return await sendNotFound(request, response, site, target.path)
    }
  }

  async function sendNotFound(
    request: ApiRequest,
    response: ServerResponse,
    site: Site,
    path: string,
  ): Promise<number> {
    if (prefersJson(request.head.accept)) return sendSiteError(request, response, 'notFound')
    const page = await files.findNotFoundPage(site, path)
    return page
      ? await sendFile(request, response, page)
      : sendSiteError(request, response, 'notFound')
  }

  return (request, response, site, origin) => {
    // Fast path: most requests are for cached files and use the canonical address, so that nothing is decoded.
    const url = request.url as string
    const query = url.indexOf('?')
    const hot = site.files.get(query < 0 ? url : url.slice(0, query))
    if (!hot) return find(request, response, site, origin())
    hot.isUsed = true
    return sendFile(request, response, hot)
  }
}
