// A request's body as bytes, no longer than it may be.
import { AppError } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'

/** Throws `body_too_large` as soon as there is more than `most`, and `invalid_request` when it breaks off. */
export async function readBytes(request: ApiRequest, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of limitedBody(request, most)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The body piece by piece, under the same limits. */
export async function* limitedBody(request: ApiRequest, most: number): AsyncGenerator<Buffer> {
  let read = 0
  const body = request.iterator({ destroyOnReturn: false })
  try {
    for await (const chunk of body) {
      read += (chunk as Buffer).length
      if (read > most) throw new AppError('body_too_large', `The body may have ${most} bytes.`)
      yield chunk as Buffer
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('invalid_request', 'The body broke off before its end.', { cause: error })
  }
}
