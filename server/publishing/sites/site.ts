// One deploy of one project as it is served, with what is remembered of its files. Deploys never change,
// so that nothing of this is ever stale: another live deploy is another Site.
import type { Encoding } from '../../platform/http/request/negotiate.ts'
import { isHashedName } from '../site-files/hashed-name.ts'
import type { Codings } from './choose-coding.ts'
import type { FileFacts } from './file-bytes.ts'
import type { CachedFile } from './file-cache.ts'
import { isHtml, mediaTypeOf } from './media-type.ts'
import {
  commonHeaders,
  immutableCaching,
  policies,
  revalidatedCaching,
  withIdSlot,
} from './response-headers.ts'

export interface Site {
  readonly projectId: string
  readonly number: bigint
  /** Rendered by us, so that we know what its pages need; otherwise served as somebody made it. */
  readonly isRendered: boolean
  /** By address, with one slash in front. */
  readonly files: Map<string, PublishedFile>
  /** Look-ups that have begun, by the same. */
  readonly pendingLookups: Map<string, Promise<FoundFile>>
}

export type FoundFile =
  | { kind: 'file'; file: PublishedFile }
  /** To another path of the same site. */
  | { kind: 'moved'; to: string }
  | { kind: 'missing' }

export function createSite(projectId: string, number: bigint, isRendered: boolean): Site {
  return { projectId, number, isRendered, files: new Map(), pendingLookups: new Map() }
}

/** Bytes as text of one character each, where they are few: Node sends head and text in one write. */
export type Body = string | Buffer

export interface Form {
  readonly encoding: Encoding
  readonly etag: string
  readonly length: number
  /** Fields, with a place for the request's id (`withId`). */
  readonly ok: string[]
  readonly notModified: string[]
  /** Undefined while it is not in memory. */
  body: Body | undefined
  loading: Promise<Body> | undefined
}

export interface PublishedFile extends CachedFile {
  /** 404 for a site's own page about what is not there: it is sent as it is, without conditions. */
  readonly status: 200 | 404
  readonly facts: FileFacts
  /** The entity tag without its quotes and the suffix of its coding. */
  readonly tag: string
  readonly codings: Codings
  readonly forms: Partial<Record<Encoding, Form>>
  /** The fields of every answer about it, errors excepted. */
  readonly common: readonly string[]
  readonly mediaType: string
}

const maxStringBytes = 64 * 1024
const tagLength = 32

export function publishedFile(
  facts: FileFacts,
  isRendered: boolean,
  status: 200 | 404 = 200,
): PublishedFile {
  const { path, hash, gzip, br } = facts
  const codings = { gzip: gzip !== undefined, br: br !== undefined }
  const mediaType = mediaTypeOf(path)
  const isRenderedPage = isRendered && isHtml(mediaType)
  const vary = [
    ...(status === 404 ? ['Accept'] : []),
    ...(codings.gzip || codings.br ? ['Accept-Encoding'] : []),
  ]
  const file: PublishedFile = {
    status,
    facts,
    tag: hash.slice(0, tagLength),
    codings,
    forms: {},
    mediaType,
    common: [
      'Cache-Control',
      isHashedName(path) ? immutableCaching : revalidatedCaching,
      ...(vary.length > 0 ? ['Vary', vary.join(', ')] : []),
      ...commonHeaders,
      'Content-Security-Policy',
      isRenderedPage ? policies.rendered : policies.readyMade,
    ],
    isUsed: false,
    bytes: 0,
    drop: () => {},
  }
  return file
}

/** The form of a coding that there is. */
export function formOf(file: PublishedFile, encoding: Encoding): Form {
  file.forms[encoding] ??= makeForm(file, encoding)
  return file.forms[encoding]
}

function makeForm(
  { common, facts, mediaType, status, tag }: PublishedFile,
  encoding: Encoding,
): Form {
  const isPlain = encoding === 'identity'
  const etag = isPlain ? `"${tag}"` : `"${tag}-${encoding}"`
  const length = (isPlain ? facts.size : facts[encoding]) as number
  // Conditions and ranges are for what is there.
  const validators = status === 200 ? ['ETag', etag] : []
  return {
    encoding,
    etag,
    length,
    ok: withIdSlot([
      'Content-Type',
      mediaType,
      'Content-Length',
      `${length}`,
      ...(isPlain ? [] : ['Content-Encoding', encoding]),
      ...validators,
      ...(status === 200 ? ['Accept-Ranges', 'bytes'] : []),
      ...common,
    ]),
    notModified: withIdSlot([...validators, ...common]),
    body: undefined,
    loading: undefined,
  }
}

/** The fields of a 206 with the bytes from `first` to `last`, both included, of the plain form. */
export function rangeHeaders(form: Form, first: number, last: number): string[] {
  const [type, mediaType, length, , ...others] = form.ok as [string, string, string, string]
  const range = `bytes ${first}-${last}/${form.length}`
  return [type, mediaType, length, `${last - first + 1}`, 'Content-Range', range, ...others]
}

/** The form in which bytes are kept and sent. */
export function bodyOf(bytes: Uint8Array): Body {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.length <= maxStringBytes ? buffer.toString('latin1') : buffer
}
