// Which certificate is shown for a host at each of its addresses: by a TLS handshake like any visitor's. Only
// public addresses are asked, and those that the configuration names.
import { connect, type TLSSocket } from 'node:tls'
import type { PortByAddress } from '../../../platform/network/address-port.ts'
import { isPublicAddress } from '../../../platform/network/public-address.ts'
import type { CertificateFacts } from './evidence.ts'
import { shortText } from './fetch-at-address.ts'

const withinMs = 2500

type Shown = Omit<CertificateFacts['seen'][number], 'address'>

/**
 * `port`: where visitors reach HTTPS; `named`: which addresses may be asked besides public ones. Addresses that
 * show nothing are left out. Takes 2.5 s at most; never throws.
 */
export async function fetchPresentedCertificates(
  host: string,
  addresses: string[],
  port: number,
  named: PortByAddress,
): Promise<CertificateFacts['seen']> {
  const allowed = addresses.filter(
    (address) => isPublicAddress(address) || named.portOf(address) !== undefined,
  )
  const seen = await Promise.all(allowed.map((address) => see(host, address, port)))
  return seen.filter((one) => one !== undefined)
}

function see(
  host: string,
  address: string,
  port: number,
): Promise<CertificateFacts['seen'][number] | undefined> {
  return new Promise((resolve) => {
    // Whether it is to be trusted is for browsers to say; here the question is which one it is.
    const options = { host: address, port, servername: host, rejectUnauthorized: false }
    const socket = connect(options, () => settle(read(socket)))
    const timer = setTimeout(() => settle(undefined), withinMs)
    const settle = (shown: Shown | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(shown && { address, ...shown })
    }
    socket.on('error', () => settle(undefined))
    socket.on('close', () => settle(undefined))
  })
}

/** Strangers' certificates may hold anything. */
function read(socket: TLSSocket): Shown | undefined {
  try {
    const { fingerprint256, issuer } = socket.getPeerCertificate()
    const { CN, O } = issuer
    return {
      fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
      issuer: shortText([O, CN].flat().find(Boolean)) || 'an issuer without a name',
    }
  } catch {
    return undefined
  }
}
