// Requests to DNS providers. Their addresses come from the DNS of strangers and from documents that those name: only
// public addresses are asked, and those that the operator allows; time and size are limited, redirects are not followed.
import { Agent } from 'node:https'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { DomainConnectSettings } from '#kit/config/config.ts'
import type { HostPort } from '#kit/config/parse-variable.ts'
import {
  type Destinations,
  RequestError,
  resolveBy,
  sendRequest,
} from '#kit/network/http-client.ts'
import { judgeAddresses } from '#kit/network/public-address.ts'

const timeoutMs = 3000
const maxBytes = 64 * 1024

/** `failed`: no complete response, or not one of 200 or 404. The text is safe to show. */
type Asked = { status: 200; body: string } | { status: 404 } | { failed: string }

export type AskProvider = (url: URL, accept: string) => Promise<Asked>

/** Never throws. */
export function createConnectClient(
  { allow, trustedRoots }: DomainConnectSettings,
  dnsServers: readonly HostPort[],
): AskProvider {
  const destinations: Destinations = {
    judge: judgeAddresses(allow),
    resolve: resolveBy(dnsServers),
  }
  let agent: Agent | undefined
  return async (url, accept) => {
    if (trustedRoots !== undefined) {
      const ca = [...getCACertificates('default'), trustedRoots]
      agent ??= new Agent({ secureContext: createSecureContext({ ca, minVersion: 'TLSv1.2' }) })
    }
    try {
      const { body, status } = await sendRequest(url, {
        method: 'GET',
        headers: { accept, 'user-agent': 'Animal-Store-Domain-Connect' },
        timeoutMs,
        maxBytes,
        oversize: 'fail',
        destinations,
        ...(agent && { agent }),
      })
      if (status === 404) return { status }
      if (status !== 200) return { failed: `it responded with status ${status}` }
      return { status, body: body.toString('utf8') }
    } catch (error) {
      if (error instanceof RequestError) return { failed: error.message }
      throw error
    }
  }
}
