// Uploads a deploy: an archive, or the files of a folder that the server does not have yet.
import { maxDeployFileBytes } from '../../client/limits.ts'
import { ManagementError } from '../../client/management-client.ts'
import { call, createUploadClient } from '../platform/api.ts'
import type { Deploy } from './project-queries.ts'

export interface Progress {
  step: 'reading' | 'sending' | 'creating'
  /** From 0 to 1. */
  share: number
}

interface Upload {
  slug: string
  /** The name of a preview instead of the site. */
  preview: string | undefined
  /** What changes; empty for none. */
  message: string
  onProgress: (progress: Progress) => void
  signal: AbortSignal
}

const type = 'application/octet-stream'
const maxConcurrentFiles = 4

/** Browsers hash files over HTTPS and on localhost only. */
export const canSendFolders = globalThis.crypto?.subtle !== undefined

/** A .zip or .tar.gz. Throws a ManagementError. */
export function sendArchive(file: File, upload: Upload): Promise<Deploy> {
  const { onProgress, signal, slug } = upload
  const client = createUploadClient((share) => onProgress({ step: 'sending', share }))
  return client.call('POST /projects/{slug}/archives', {
    params: { slug },
    query: choicesOf(upload),
    upload: file.slice(0, undefined, type),
    type,
    signal,
  })
}

/** Files by their path in the folder. Throws a ManagementError. */
export async function sendFolder(
  files: ReadonlyMap<string, File>,
  sending: Upload,
): Promise<Deploy> {
  const { onProgress, signal, slug } = sending
  const hashes = new Map<string, string>()
  for (const [name, file] of files) {
    signal.throwIfAborted()
    if (file.size > maxDeployFileBytes) {
      const message = `${name} is larger than 25 MB.`
      throw new ManagementError({ status: 413, code: 'body_too_large', message })
    }
    hashes.set(name, await hashOf(file))
    onProgress({ step: 'reading', share: hashes.size / files.size })
  }
  const { missing } = await call('POST /projects/{slug}/files/missing', {
    params: { slug },
    body: { hashes: [...new Set(hashes.values())] },
    signal,
  })
  const byHash = new Map([...hashes].map(([name, hash]) => [hash, files.get(name) as File]))
  const client = createUploadClient()
  let sent = 0
  const queue = [...missing]
  async function work(): Promise<void> {
    for (let hash = queue.shift(); hash !== undefined; hash = queue.shift()) {
      const upload = (byHash.get(hash) as File).slice(0, undefined, type)
      const params = { slug, hash }
      await client.call('PUT /projects/{slug}/files/{hash}', { params, upload, type, signal })
      sent++
      onProgress({ step: 'sending', share: sent / missing.length })
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentFiles }, work))
  onProgress({ step: 'creating', share: 1 })
  return await call('POST /projects/{slug}/deploys', {
    params: { slug },
    body: {
      ...choicesOf(sending),
      files: [...hashes].map(([path, hash]) => ({ path, hash })),
    },
    signal,
  })
}

/** The message and the preview, without those that were not chosen. */
function choicesOf({ message, preview }: Upload): { message?: string; preview?: string } {
  const text = message.trim()
  return { ...(text !== '' && { message: text }), ...(preview !== undefined && { preview }) }
}

async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
