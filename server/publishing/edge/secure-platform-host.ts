// Platform hosts with an https address are served over HTTPS only, once they have a publicly trusted certificate.
// Requests from a proxy that terminates TLS are not redirected.

import type { Handler } from '../../platform/http/listener/intake.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { isSecureAtProxy } from '../../platform/network/addresses.ts'
import type { FoundHost, HostFinder } from './find-host.ts'
import { redirectToHttps, strictTransport } from './redirects.ts'

/** `publicHttpsPort` is the port by which clients reach HTTPS; undefined without HTTPS. */
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
    const handleFound = (found: FoundHost | undefined): void => {
      const isTrusted = found?.certificate?.isTrusted === true
      if (isTrusted && request.isSecure) request.fixedHeaders = strictTransport
      const isRedirected = isTrusted && !request.isSecure && !isSecureAtProxy(request)
      if (isRedirected) toHttps(request, response)
      else handler(request, response)
    }
    const found = findNow(request)
    // A database failure must not stop the program's own pages.
    if (found instanceof Promise) found.catch(() => undefined).then(handleFound)
    else handleFound(found)
  }
}
