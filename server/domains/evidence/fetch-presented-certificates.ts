// Fetches the certificate that each address of a host presents, by an ordinary TLS handshake. Only public
// addresses, and those in the configuration, are contacted.
import { connect, type TLSSocket } from 'node:tls'
import type { PortByAddress } from '#kit/network/address-port.ts'
import { isPublicAddress } from '#kit/network/public-address.ts'
import type { CertificateFacts } from './evidence.ts'
import { shortText } from './fetch-at-address.ts'

const withinMs = 2500

type Shown = Omit<CertificateFacts['seen'][number], 'address'>

/**
 * `port`: the HTTPS port of visitors; `named`: addresses allowed besides public ones. Addresses that present no
 * certificate are left out. Takes at most 2.5 s; never throws.
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
    // Browsers decide about trust; this only identifies the certificate.
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

/** Certificates of other servers are untrusted input. */
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
