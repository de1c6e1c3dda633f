// Sends a deploy from the browser: an archive as it is, or a folder by its files, of which only those go over
// the wire that the server does not have yet.
import type { Deploy } from '../../server/publishing/deploys/records/schema.ts'
import { ask, path, Refusal } from '../platform/api.ts'

export interface Progress {
  step: 'reading' | 'sending' | 'creating'
  /** From 0 to 1. */
  share: number
}

export interface Sending {
  slug: string
  onProgress: (progress: Progress) => void
  signal: AbortSignal
}

const atOnce = 4
const maxFileBytes = 25 * 1024 * 1024

/** Whether files can be told apart by their hashes here: browsers allow that on HTTPS and on localhost alone. */
export const canSendFolders = globalThis.crypto?.subtle !== undefined

/** A .zip or .tar.gz. Throws a Refusal. */
export async function sendArchive(file: File, sending: Sending): Promise<Deploy> {
  const { onProgress, signal, slug } = sending
  const url = `/api${path`/projects/${slug}/archives`}`
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress({ step: 'sending', share: total === 0 ? 1 : loaded / total }),
    )
    request.addEventListener('load', () => {
      if (request.status < 300) resolve(request.response)
      else {
        const message = 'The server answers with something that is not understood.'
        reject(new Refusal(request.status, request.response ?? { code: 'unreachable', message }))
      }
    })
    request.addEventListener('error', () =>
      reject(new Refusal(0, { code: 'unreachable', message: 'The server does not answer.' })),
    )
    signal.addEventListener('abort', () => request.abort())
    request.addEventListener('abort', () => reject(signal.reason))
    request.send(file)
  })
}

/** Files by their path in the folder. Throws a Refusal. */
export async function sendFolder(
  files: ReadonlyMap<string, File>,
  { onProgress, signal, slug }: Sending,
): Promise<Deploy> {
  const hashes = new Map<string, string>()
  for (const [name, file] of files) {
    signal.throwIfAborted()
    if (file.size > maxFileBytes) {
      const message = `${name} is larger than 25 MB.`
      throw new Refusal(413, { code: 'body_too_large', message })
    }
    hashes.set(name, await hashOf(file))
    onProgress({ step: 'reading', share: hashes.size / files.size })
  }
  const { missing } = await ask<{ missing: string[] }>(path`POST /projects/${slug}/files/missing`, {
    body: { hashes: [...new Set(hashes.values())] },
    signal,
  })
  const byHash = new Map([...hashes].map(([name, hash]) => [hash, files.get(name) as File]))
  let sent = 0
  const queue = [...missing]
  async function work(): Promise<void> {
    for (let hash = queue.shift(); hash !== undefined; hash = queue.shift()) {
      const body = byHash.get(hash)?.slice(0, undefined, 'application/octet-stream')
      await ask(path`PUT /projects/${slug}/files/${hash}`, {
        body,
        headers: { 'Content-Type': 'application/octet-stream' },
        signal,
      })
      sent++
      onProgress({ step: 'sending', share: sent / missing.length })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  onProgress({ step: 'creating', share: 1 })
  return await ask<Deploy>(path`POST /projects/${slug}/deploys`, {
    body: { files: [...hashes].map(([name, hash]) => ({ path: name, hash })) },
    signal,
  })
}

async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
