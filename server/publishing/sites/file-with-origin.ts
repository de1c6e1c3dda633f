// The few files of a rendered site that contain its absolute address (render/sources/render-input.ts). They are
// created for the origin of the request and cached as a whole, because the database has only a placeholder.
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import type { Encoding } from '#kit/http/request/negotiate.ts'
import { filesWithOrigin, originPlaceholder } from '#renderer/sources/render-input.ts'
import type { FileSource } from '../objects/read-objects.ts'
import { type FileFacts, locateWhole } from './file-bytes.ts'
import { bodyOf, formOf, type PublishedFile, publishedFile, type Site } from './site.ts'

/** A larger file is served unchanged. */
const maxBytes = 8 * 1024 * 1024
const compressFromBytes = 1024

const toGzip = promisify(gzipCompress)
const toBrotli = promisify(brotliCompress)

export function containsOrigin(isRendered: boolean, path: string): boolean {
  return isRendered && filesWithOrigin.includes(path)
}

/** The file with all its forms in memory. `origin` has no slash at the end. */
export async function fileWithOrigin(
  source: FileSource,
  facts: FileFacts,
  site: Pick<Site, 'isPreview' | 'isPrivate' | 'isRendered'>,
  origin: string,
): Promise<PublishedFile | undefined> {
  if (facts.size > maxBytes) return undefined
  const located = await locateWhole(source, facts.hash, 'identity', facts.size)
  const stored = Buffer.from(await located())
  // Latin-1 preserves all bytes, in any encoding.
  const text = stored.toString('latin1').replaceAll(originPlaceholder, origin)
  const bytes = Buffer.from(text, 'latin1')
  const { br, gzip } = bytes.length < compressFromBytes ? {} : await encode(bytes)
  const own = { path: facts.path, hash: hash('sha256', bytes, 'hex'), size: bytes.length }
  const file = publishedFile({ ...own, gzip: gzip?.length, br: br?.length }, site)
  for (const [encoding, body] of Object.entries({ identity: bytes, gzip, br })) {
    if (body) formOf(file, encoding as Encoding).body = bodyOf(body)
  }
  return file
}

async function encode(
  bytes: Buffer,
): Promise<{ gzip?: Buffer | undefined; br?: Buffer | undefined }> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const [gzipped, br] = await Promise.all([toGzip(bytes), toBrotli(bytes, { params })])
  const ifSmaller = (coded: Buffer) => (coded.length < bytes.length ? coded : undefined)
  return { gzip: ifSmaller(gzipped), br: ifSmaller(br) }
}
