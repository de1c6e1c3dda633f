// Sends a file to the management API and tells how far it has got, which fetch cannot.
import { parseExactJson } from '../../client/exact-json.ts'
import { Refusal, refusalOf } from './api.ts'

export interface SendingFile {
  mediaType: string
  /** From 0 to 1. */
  onProgress: (share: number) => void
  signal: AbortSignal
}

/** Gives the answer's body. Throws a Refusal; after an abort, the signal's reason. */
export async function sendFile<Answer>(
  path: string,
  file: Blob,
  { mediaType, onProgress, signal }: SendingFile,
): Promise<Answer> {
  signal.throwIfAborted()
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/api${path}`)
    request.setRequestHeader('Content-Type', mediaType)
    request.setRequestHeader('Accept', 'application/json')
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total === 0 ? 1 : loaded / total),
    )
    request.addEventListener('load', () => {
      const answer = readAnswer(request.responseText)
      if (request.status < 300) resolve(answer as Answer)
      else reject(refusalOf(request.status, request.getResponseHeader('Retry-After'), answer))
    })
    request.addEventListener('error', () =>
      reject(new Refusal(0, { code: 'unreachable', message: 'The server does not answer.' })),
    )
    signal.addEventListener('abort', () => request.abort())
    request.addEventListener('abort', () => reject(signal.reason))
    request.send(file)
  })
}

function readAnswer(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}
