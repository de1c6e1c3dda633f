// Requests a host from one of our own addresses as visitors will, whatever DNS says: over HTTPS with its name in the
// handshake, over plain HTTP, and a nonce that only our nodes can sign.

import type { PortByAddress } from '#kit/network/address-port.ts'
import { type HttpResponse, urlOfAddress } from '#kit/network/http-client.ts'
import { isPublicAddress } from '#kit/network/public-address.ts'
import type { Secrets } from '#kit/secrets.ts'
import { httpPortOf, probe, requestHost, shortText } from '../evidence/fetch-at-address.ts'

const withinMs = 3000

export type SeenAtAddress = Awaited<ReturnType<typeof requestAtAddress>>

export interface AddressContext {
  secrets: Secrets
  /** Addresses that may be called besides public ones, with their HTTP port. */
  ports: PortByAddress
  /** Where HTTPS is reached: of visitors, then, at addresses in `ports`, of this machine. Empty without HTTPS. */
  httpsPorts: readonly number[]
}

/**
 * `secure` and `plain` are the responses to `GET /` over HTTPS and plain HTTP, undefined without one. `probe`: whether
 * requests by plain HTTP reach one of our nodes. Takes at most 6 s; never throws.
 */
export async function requestAtAddress(host: string, address: string, context: AddressContext) {
  const { ports, secrets } = context
  const httpPort = httpPortOf(address, ports)
  const [secure, plain, { outcome }] = await Promise.all([
    requestAtPorts(host, address, httpsPortsOf(address, context), 'https'),
    requestAtPorts(host, address, httpPort === undefined ? [] : [httpPort], 'http'),
    probe(host, address, secrets, ports),
  ])
  return {
    address,
    secure: secure && {
      ...seenResponse(secure),
      fingerprint: secure.certificate?.fingerprint256?.replaceAll(':', '').toLowerCase() ?? '',
    },
    plain: plain && seenResponse(plain),
    probe: outcome.kind,
  }
}

const seenResponse = ({ headers, status }: HttpResponse) => {
  return { status, location: shortText(headers.location) }
}

/** Where an address may be called over HTTPS: nowhere, unless it is public or the configuration names it. */
export function httpsPortsOf(
  address: string,
  { httpsPorts, ports }: AddressContext,
): readonly number[] {
  if (httpPortOf(address, ports) === undefined) return []
  return isPublicAddress(address) ? httpsPorts.slice(0, 1) : httpsPorts
}

/** At the first port that responds, whatever certificate it has. Undefined without a response; never throws. */
export async function requestAtPorts(
  host: string,
  address: string,
  ports: readonly number[],
  protocol: 'http' | 'https',
): Promise<HttpResponse | undefined> {
  for (const port of ports) {
    try {
      return await requestHost(host, urlOfAddress(address, port, '/', protocol), {
        timeoutMs: withinMs,
        maxBytes: 1024,
        ...(protocol === 'https' && { serverName: host }),
      })
    } catch {}
  }
  return undefined
}
