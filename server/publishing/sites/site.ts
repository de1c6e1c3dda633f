// A deploy as it is served, with its cached files: the live one of a project, or that of a preview. Deploys are immutable, so
// that cached files are never stale: another deploy, or a change between public and private, is another Site. All sites
// share a cache with a maximum total size. It uses the second-chance algorithm (CLOCK): similar to least recently used, but
// a hit only sets a flag.

import mime from 'mime'
import Negotiator from 'negotiator'
import type { Awaitable } from '#kit/database/database.ts'
import { chooseEncoding, type Encoding, plainHead } from '#kit/http/response/ready-response.ts'
import { isHashedName } from '#renderer/site-files/hashed-name.ts'
import type { VisitTally } from '../visits/visit-counter.ts'
import type { FileFacts } from './file-bytes.ts'
import type { RedirectTable } from './redirects.ts'
import {
  commonHeaders,
  immutableCaching,
  notStored,
  policies,
  privateCaching,
  renderedPolicy,
  revalidatedCaching,
} from './response-headers.ts'

const isText = /^text\/|[/+](?:javascript|json|xml)$/

/**
 * The media type of a canonical path, with `charset=utf-8` for text: determined by the name alone. Content is never
 * sniffed: not here and, because of `nosniff`, not in browsers.
 */
export function mediaTypeOf(path: string): string {
  // The slash keeps a name without a dot, such as `html`, from being treated as an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream'
  return isText.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether a browser opens it as a document that can run scripts and load resources: HTML, SVG and other XML. */
export function isDocument(mediaType: string): boolean {
  return /^(?:text\/html|[^;]*[/+]xml)\b/.test(mediaType)
}

/** What the `_redirects` of a deploy says; without a table if there is none. */
export interface SiteRedirects extends CachedFile {
  readonly table: RedirectTable | undefined
}

export type FoundFile =
  | { kind: 'file'; file: PublishedFile }
  /** Redirects to another path of the same site. */
  | { kind: 'moved'; to: string }
  | { kind: 'missing' }

interface ServedAs {
  /** Whether its pages were rendered by us, which allows a strict Content-Security-Policy. */
  isRendered: boolean
  /** Not everyone may see it: caches and browsers keep nothing of it. */
  isPrivate: boolean
  /** A preview: caches on the way to visitors do not store it. */
  isPreview?: boolean
}

export type Site = ReturnType<typeof createSite>

export function createSite(
  projectId: string,
  number: bigint,
  { isPreview = false, isPrivate, isRendered }: ServedAs,
) {
  return {
    ...{ projectId, number, isRendered, isPreview, isPrivate },
    /** By address, with one slash at the start. */
    files: new Map<string, PublishedFile>(),
    /** Running lookups by address. */
    pendingLookups: new Map<string, Promise<FoundFile>>(),
    /** Undefined until they are needed, and again when they were evicted. */
    redirects: undefined as Awaitable<SiteRedirects> | undefined,
    /** Of the last view. */
    source: undefined as VisitTally | undefined,
  }
}

/** Few bytes as a Latin-1 string: Node sends headers and a string in one write. */
export type Body = string | Buffer

export type Form = ReturnType<typeof createForm>

export type PublishedFile = ReturnType<typeof publishedFile>

const maxStringBytes = 64 * 1024
const tagLength = 32

/** `status`: 404 for the site's own 404 page, which is sent without preconditions and ranges. */
export function publishedFile(facts: FileFacts, site: ServedAs, status: 200 | 404 = 200) {
  const { path, hash, gzip, br } = facts
  const encodings = { gzip: gzip !== undefined, br: br !== undefined }
  const mediaType = mediaTypeOf(path)
  const vary = [
    ...(status === 404 ? ['Accept'] : []),
    ...(encodings.gzip || encodings.br ? ['Accept-Encoding'] : []),
  ]
  return {
    status,
    facts,
    /** The entity tag without quotes and the suffix of the encoding. */
    tag: hash.slice(0, tagLength),
    encodings,
    forms: {} as Partial<Record<Encoding, Form>>,
    mediaType,
    /** Whether its views are counted: HTML, but no 404 page. */
    isPage: status === 200 && mediaType.startsWith('text/html'),
    /** Of the day of the last view. */
    views: undefined as VisitTally | undefined,
    /** The headers of every response for the file, except errors. */
    common: [
      'Cache-Control',
      cachingOf(site, path),
      ...(vary.length > 0 ? ['Vary', vary.join(', ')] : []),
      ...commonHeaders,
      'Content-Security-Policy',
      policyOf(facts, site.isRendered, mediaType),
    ],
    ...({ isUsed: false, bytes: 0, drop: () => {} } as CachedFile),
  }
}

function policyOf({ connectTo, path }: FileFacts, isRendered: boolean, mediaType: string): string {
  if (!isRendered || !isDocument(mediaType)) return policies.readyMade
  const isImage = mediaType.startsWith('image/') && path.startsWith('_site/')
  return isImage ? policies.image : renderedPolicy(connectTo)
}

/** Of a file, or a redirect, of the site. */
export function cachingOf(
  { isPreview, isPrivate }: Pick<ServedAs, 'isPreview' | 'isPrivate'>,
  path = '',
): string {
  if (isPrivate) return notStored
  if (isPreview) return privateCaching
  return isHashedName(path) ? immutableCaching : revalidatedCaching
}

/** The form with an encoding that is stored. */
export function formOf(file: PublishedFile, encoding: Encoding): Form {
  file.forms[encoding] ??= createForm(file, encoding)
  return file.forms[encoding]
}

interface FormSource {
  status: 200 | 404
  facts: FileFacts
  tag: string
  mediaType: string
  common: readonly string[]
}

function createForm({ common, facts, mediaType, status, tag }: FormSource, encoding: Encoding) {
  const isPlain = encoding === 'identity'
  const etag = isPlain ? `"${tag}"` : `"${tag}-${encoding}"`
  const length = (isPlain ? facts.size : facts[encoding]) as number
  // 404 pages have no preconditions and ranges.
  const validators = status === 200 ? ['ETag', etag] : []
  return {
    encoding,
    etag,
    length,
    ok: plainHead(status, [
      'Content-Type',
      mediaType,
      'Content-Length',
      `${length}`,
      ...(isPlain ? [] : ['Content-Encoding', encoding]),
      ...validators,
      ...(status === 200 ? ['Accept-Ranges', 'bytes'] : []),
      ...common,
    ]),
    notModified: plainHead(304, [...validators, ...common]),
    /** Undefined if not in memory. */
    body: undefined as Body | undefined,
    loading: undefined as Promise<Body> | undefined,
  }
}

/** The headers of a 206 with the bytes from `first` to `last`, both included, of the uncompressed form. */
export function rangeHeaders(form: Form, first: number, last: number): string[] {
  const [type, mediaType, length, , ...others] = form.ok.headers as [string, string, string, string]
  const range = `bytes ${first}-${last}/${form.length}`
  return [type, mediaType, length, `${last - first + 1}`, 'Content-Range', range, ...others]
}

/** Converts bytes to the type in which they are cached and sent. */
export function bodyOf(bytes: Uint8Array): Body {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.length <= maxStringBytes ? buffer.toString('latin1') : buffer
}

export interface CachedFile {
  /** Set at each use except the first, so that files used once are evicted before files used often. */
  isUsed: boolean
  /** Memory of the entry, including overhead. Changed only by the cache. */
  bytes: number
  /** Releases the entry. Called once, by the cache. */
  drop(): void
}

export type FileCache = ReturnType<typeof createFileCache>

export function createFileCache(maxBytes: number) {
  // In the order of eviction.
  const all = new Set<CachedFile>()
  let bytes = 0

  function drop(entry: CachedFile): void {
    bytes -= entry.bytes
    entry.bytes = 0
    entry.drop()
  }

  function makeRoom(): void {
    for (const entry of all) {
      if (bytes <= maxBytes) return
      all.delete(entry)
      if (entry.isUsed) {
        entry.isUsed = false
        all.add(entry)
      } else {
        drop(entry)
      }
    }
  }

  return {
    get bytes() {
      return bytes
    },
    /** Adds an entry and evicts others if the cache is full. */
    put(entry: CachedFile, entryBytes: number): void {
      entry.bytes = entryBytes
      bytes += entryBytes
      all.add(entry)
      makeRoom()
    },
    /** Without effect if the entry is not in the cache. */
    remove(entry: CachedFile): void {
      if (all.delete(entry)) drop(entry)
    },
    /** Adds to the size of an entry. Returns false if the entry is not in the cache. */
    grow(entry: CachedFile, more: number): boolean {
      if (!all.has(entry)) return false
      entry.bytes += more
      bytes += more
      makeRoom()
      return all.has(entry)
    },
  }
}

/** Which compressed forms are stored. */
export interface StoredEncodings {
  gzip: boolean
  br: boolean
}

/** The available form that the client prefers; between equal preferences the server decides. */
export function chooseStoredEncoding(
  acceptEncoding: string | undefined,
  there: StoredEncodings,
): Encoding {
  if (acceptEncoding === undefined || !(there.gzip || there.br)) return 'identity'
  const best = chooseEncoding(acceptEncoding)
  if (best === 'identity' || there[best]) return best
  const other = best === 'br' ? 'gzip' : 'br'
  if (!there[other]) return 'identity'
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const [first] = negotiator.encodings([other, 'identity'])
  return first === other ? other : 'identity'
}
