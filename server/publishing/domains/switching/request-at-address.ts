// Requests a host from one of our own addresses as visitors will, whatever DNS says: over HTTPS with its name in the
// handshake, over plain HTTP, and a nonce that only our nodes can sign.
import type { PortByAddress } from '../../../platform/network/address-port.ts'
import { sendRequest, urlOfAddress } from '../../../platform/network/http-client.ts'
import { isPublicAddress } from '../../../platform/network/public-address.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { Probe } from '../evidence/evidence.ts'
import { shortText } from '../evidence/fetch-at-address.ts'
import { probe } from '../evidence/probe.ts'

const withinMs = 3000
const maxBytes = 1024

export interface SeenAtAddress {
  address: string
  /** The response to `GET /` over HTTPS; undefined without one. */
  secure: (SeenResponse & { fingerprint: string }) | undefined
  /** The response to `GET /` over plain HTTP; undefined without one. */
  plain: SeenResponse | undefined
  /** Whether requests by plain HTTP reach one of our nodes. */
  probe: Probe['outcome']['kind']
}

interface SeenResponse {
  status: number
  location: string | undefined
}

export interface AddressContext {
  secrets: Secrets
  /** Addresses that may be called besides public ones, with their HTTP port. */
  ports: PortByAddress
  /** Where HTTPS is reached: of visitors, then, at addresses in `ports`, of this machine. Empty without HTTPS. */
  httpsPorts: readonly number[]
}

/** Takes at most 6 s; never throws. */
export async function requestAtAddress(
  host: string,
  address: string,
  { httpsPorts, ports, secrets }: AddressContext,
): Promise<SeenAtAddress> {
  const isPublic = isPublicAddress(address)
  const httpPort = ports.portOf(address) ?? (isPublic ? 80 : undefined)
  const tried = httpPort === undefined ? [] : isPublic ? httpsPorts.slice(0, 1) : httpsPorts
  const [secure, plain, { outcome }] = await Promise.all([
    requestSecurely(host, address, tried),
    httpPort === undefined ? undefined : requestPlainly(host, address, httpPort),
    probe(host, address, secrets, ports),
  ])
  return { address, secure, plain, probe: outcome.kind }
}

const common = {
  method: 'GET',
  maxBytes,
  oversize: 'truncate',
} as const
const headersFor = (host: string) => ({ host, 'user-agent': 'Animal-Store-Check', accept: '*/*' })

async function requestSecurely(
  host: string,
  address: string,
  ports: readonly number[],
): Promise<SeenAtAddress['secure']> {
  for (const port of ports) {
    try {
      const { certificate, headers, status } = await sendRequest(
        urlOfAddress(address, port, '/', 'https'),
        { ...common, headers: headersFor(host), serverName: host, timeoutMs: withinMs },
      )
      const fingerprint = certificate?.fingerprint256?.replaceAll(':', '').toLowerCase() ?? ''
      return { status, location: shortText(headers.location), fingerprint }
    } catch {}
  }
  return undefined
}

async function requestPlainly(
  host: string,
  address: string,
  port: number,
): Promise<SeenResponse | undefined> {
  try {
    const url = urlOfAddress(address, port, '/')
    const { headers, status } = await sendRequest(url, {
      ...common,
      headers: headersFor(host),
      timeoutMs: withinMs,
    })
    return { status, location: shortText(headers.location) }
  } catch {
    return undefined
  }
}
