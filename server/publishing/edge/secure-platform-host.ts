// Hosts of our own whose configured address says https are only served by HTTPS, as soon as they have a
// certificate that browsers know. A proxy that speaks TLS in front of us is left in peace.

import type { Handler } from '../../platform/http/listener/intake.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { isSecureAtProxy } from '../../platform/network/addresses.ts'
import type { FoundHost, HostFinder } from './find-host.ts'
import { redirectToHttps, strictTransport } from './redirects.ts'

/** `publicHttpsPort` is that by which clients reach HTTPS; undefined where there is none here. */
export function securePlatformHost(
  hosts: HostFinder,
  publicHttpsPort: number | undefined,
): (handler: Handler) => Handler {
  if (publicHttpsPort === undefined) return (handler) => handler
  const toHttps = redirectToHttps(publicHttpsPort)

  function findNow({ head }: ApiRequest): ReturnType<HostFinder['find']> {
    try {
      return hosts.find(head.host ?? '')
    } catch {
      return undefined
    }
  }

  return (handler) => (request, response) => {
    const lead = (found: FoundHost | undefined): void => {
      const isTrusted = found?.certificate?.isTrusted === true
      if (isTrusted && request.isSecure) request.fixedHeaders = strictTransport
      const isLed = isTrusted && !request.isSecure && !isSecureAtProxy(request)
      if (isLed) toHttps(request, response)
      else handler(request, response)
    }
    const found = findNow(request)
    // What is not known must not keep our own pages from being served.
    if (found instanceof Promise) found.catch(() => undefined).then(lead)
    else lead(found)
  }
}
