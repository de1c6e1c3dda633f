// Checks whether a request for a host reaches us. Fetches a nonce from the host's address; only our nodes have
// the key that signs the response.
import { randomBytes } from 'node:crypto'
import type { Handler } from '#kit/http/listener/intake.ts'
import { sendOnce } from '#kit/http/response/send-response.ts'
import type { PortByAddress } from '#kit/network/address-port.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { Probe } from './evidence.ts'
import { type FetchedAnswer, fetchAtAddress, shortText } from './fetch-at-address.ts'

/** What follows is a nonce. Answered on every host, known or not. */
export const probePath = '/.well-known/animal-store/'

const purpose = 'domain probe'
const nonceForm = /^[A-Za-z0-9_-]{22}$/

/** Answers probes of this and other nodes. */
export function answerProbe(secrets: Secrets): Handler {
  return (request, response) => {
    const nonce = (request.url as string).slice(probePath.length)
    const body = nonceForm.test(nonce) ? secrets.sign(nonce, purpose) : undefined
    const headers = ['Cache-Control', 'no-store', 'Content-Type', 'text/plain; charset=utf-8']
    if (body === undefined) return sendOnce(request, response, 404, headers.slice(0, 2), undefined)
    response.writeHead(200, [
      ...headers,
      'Content-Length',
      `${body.length}`,
      'X-Content-Type-Options',
      'nosniff',
      'X-Request-Id',
      request.head.requestId,
    ])
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/**
 * Fetches a nonce from `host` at one of its addresses. Only public addresses are asked, on port 80, and those
 * that `ports` names. Takes 2.5 s at most; never throws.
 */
export async function probe(
  host: string,
  address: string,
  secrets: Secrets,
  ports: PortByAddress,
  hasIpv6 = true,
): Promise<Probe> {
  const nonce = randomBytes(16).toString('base64url')
  const fetched = await fetchAtAddress(host, address, probePath + nonce, ports, hasIpv6)
  if (fetched.kind === 'answer') return { address, outcome: judge(fetched, nonce, secrets) }
  return { address, outcome: fetched }
}

function judge(answer: FetchedAnswer, nonce: string, secrets: Secrets): Probe['outcome'] {
  const { body, location, platform, server, status } = answer
  if (status === 200 && secrets.isSigned(nonce, purpose, body.trim())) {
    return { kind: 'platform', ...(server === undefined ? {} : { server }) }
  }
  const other = { kind: 'other' as const, status, server, platform }
  const to = shortText(location)
  return to === undefined ? other : { ...other, location: to }
}
