// Answers HTTP-01 challenges (RFC 8555, section 8.3), before any redirect, on both ports.
import type { ServerResponse } from 'node:http'
import { httpChallengePath } from '#acme/resources/orders.ts'
import { AppError } from '#kit/errors.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendError, sendOnce } from '#kit/http/response/send-response.ts'

/** 128 bits in base64url are 22 characters; no authority uses longer tokens than this. */
const tokenForm = /^[A-Za-z0-9_-]{16,128}$/

/** `find` returns the key authorization of a token, from the database, because any node may be asked. */
export function answerChallenge(
  find: (host: string, token: string) => Promise<string | undefined>,
): Handler {
  async function answer(request: ApiRequest, response: ServerResponse): Promise<void> {
    const { head, method, url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const message = 'Challenges accept GET and HEAD only.'
      throw new AppError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } })
    }
    const [token = ''] = url.slice(httpChallengePath.length).split('?', 1)
    const found = tokenForm.test(token) ? await find(head.host ?? '', token) : undefined
    if (found === undefined) {
      const message = 'No challenge with this token is in progress for this host.'
      throw new AppError('route_not_found', message)
    }
    const headers = ['Cache-Control', 'no-store']
    sendOnce(request, response, 200, headers, found, 'application/octet-stream')
  }

  return (request, response) => {
    request.environment = 'edge'
    request.operation = 'challenge'
    return answer(request, response).catch((error) => {
      if (!(error instanceof AppError)) throw error
      sendError(request, response, error)
    })
  }
}
