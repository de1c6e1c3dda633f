// Who sent a request, where proxies may be in between. A proxy that does not say whom it serves must not lend its
// own address to strangers: its requests have no client address, and never count as coming from this machine.
import { isIP } from 'node:net'
import type { ApiRequest } from '../http/request/request-head.ts'
import type { Logger } from '../log.ts'
import {
  type AddressList,
  isPublicAddress,
  loopback,
  socketAddress,
  unmapIpv4,
} from './addresses.ts'

/** No proxy named the client, and the address of the connection is only that of a proxy. */
export const unknownAddress = ''

export type ClientAddresses = ReturnType<typeof createClientAddresses>

interface Sender {
  /** Of the client, or `unknownAddress`. */
  address: string
  /** Of the connection. */
  peer: string
  /** A proxy has forwarded the request, as far as one can tell. */
  isForwarded: boolean
}

/** The proxies that were seen since the start, a few of each kind. */
export type ForwardedRequests = ReturnType<ClientAddresses['forwardedRequests']>

const maxRemembered = 10

/** `trusted`: the proxies whose X-Forwarded-For is believed. */
export function createClientAddresses(trusted: AddressList, log: Logger) {
  let isReported = false
  /** By the address of the proxy: whether it named the client of its last request. */
  const proxies = new Map<string, boolean>()

  /** A stranger can send the same header: only what may be a proxy is remembered. */
  function remember({ address, isForwarded, peer }: Sender): void {
    if (!isForwarded || (isPublicAddress(peer) && !trusted.has(peer))) return
    if (proxies.size < maxRemembered || proxies.has(peer))
      proxies.set(peer, trusted.has(peer) && address !== unknownAddress)
  }

  function senderOf(request: ApiRequest): Sender {
    const peer = socketAddress(request)
    const isTrusted = trusted.has(peer)
    const mayBeProxy = isTrusted || loopback.has(peer)
    const isForwarded = hasProxyField(request) || (mayBeProxy && !namesThisMachine(request))
    if (isTrusted) return { address: namedClient(request), peer, isForwarded }
    return { address: isForwarded && mayBeProxy ? unknownAddress : peer, peer, isForwarded }
  }

  /** The nearest address that is not a trusted proxy; unknown if the proxies give none. */
  function namedClient(request: ApiRequest): string {
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
    let address = unknownAddress
    do {
      const next = unmapIpv4(forwarded.pop()?.trim() ?? '')
      if (!isIP(next)) break
      address = next
    } while (trusted.has(address))
    return address
  }

  function reportUnnamed({ address, peer }: Sender): void {
    if (isReported || address !== unknownAddress) return
    isReported = true
    const cause = trusted.has(peer)
      ? 'a proxy in TRUSTED_PROXIES does not send X-Forwarded-For: configure it to send the client address'
      : 'a proxy on this machine is not in TRUSTED_PROXIES: add it'
    log.warn(
      { event: 'proxy.client_unnamed', proxy: peer },
      `${cause}. Until then clients have no address, and the proxy gets no /metrics`,
    )
  }

  return {
    /** The client's address, or `unknownAddress`; the first unknown one is reported in the log. */
    of(request: ApiRequest): string {
      const sender = senderOf(request)
      remember(sender)
      reportUnnamed(sender)
      return sender.address
    },
    /** What `of` has seen. */
    forwardedRequests() {
      const peers = [...proxies]
      return {
        /** Trusted ones that named the client of their last request. */
        named: peers.filter(([, isNamed]) => isNamed).map(([peer]) => peer),
        /** Those that did not, or are not trusted. */
        unnamed: peers
          .filter(([, isNamed]) => !isNamed)
          .map(([peer]) => ({ peer, isTrusted: trusted.has(peer) })),
      }
    },
    /**
     * Whether a program on this machine sent the request itself, or a client among `allowed`. What a proxy has
     * forwarded is never from this machine, and is allowed only for the client that a trusted proxy names.
     */
    isLocalOr(allowed: AddressList, request: ApiRequest): boolean {
      const sender = senderOf(request)
      const { address, isForwarded, peer } = sender
      if (address !== unknownAddress && address !== peer) return allowed.has(address)
      if (isForwarded) reportUnnamed(sender)
      else if (allowed.has(peer) || (loopback.has(peer) && !trusted.has(peer))) return true
      return false
    },
  }
}

/** Fields that proxies add: a direct client can add them too, which only costs it the trust of a direct client. */
function hasProxyField({ rawHeaders }: ApiRequest): boolean {
  return rawHeaders.some((name, i) => i % 2 === 0 && proxyField.test(name))
}

const proxyField = /^(?:x-forwarded-.*|forwarded|via|x-real-ip)$/i

/** Whether Host is an address or name of this machine, as in a direct request. Most proxies pass on their clients'. */
function namesThisMachine({ head: { host = '' }, socket }: ApiRequest): boolean {
  if (/^(?:.+\.)?localhost$/.test(host)) return true
  const address = host.replace(/^\[|\]$/g, '')
  return loopback.has(address) || address === unmapIpv4(socket.localAddress ?? '')
}
