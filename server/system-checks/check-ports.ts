// Whether this machine's listeners are this program's: by a signed nonce over HTTP, and a handshake over TLS.
import { connect } from 'node:net'
import { fetchPresentedCertificates, probe } from '#domains/evidence/fetch-at-address.ts'
import type { Config } from '#kit/config/config.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'

const { ok, problem, skipped, warning } = findingsOf('ports')
const connectWithinMs = 2500

type PortsConfig = Pick<Config, 'baseUrl' | 'httpPort' | 'httpsPort' | 'listenAddress'>

/** `secrets`: undefined before the first start, when nothing can have been signed. */
export async function checkPorts(
  { baseUrl, httpPort, httpsPort, listenAddress }: PortsConfig,
  secrets: Secrets | undefined,
): Promise<Finding[]> {
  const isAny = listenAddress === '::' || listenAddress === '0.0.0.0'
  const address = isAny ? '127.0.0.1' : listenAddress
  const host = baseUrl.hostname
  if (!secrets) return [skipped('HTTP_PORT', 'The server has not been started here yet.')]
  return await Promise.all([
    checkHttp(host, address, httpPort, secrets),
    httpsPort === undefined
      ? skipped('HTTPS_PORT', 'HTTPS is off.')
      : checkHttps(host, address, httpsPort),
  ])
}

async function checkHttp(
  host: string,
  address: string,
  port: number,
  secrets: Secrets,
): Promise<Finding> {
  const subject = `HTTP_PORT ${port}`
  if (port === 0) return skipped(subject, 'The server takes a free port at each start.')
  const { outcome } = await probe(host, address, secrets, { portOf: () => port })
  if (outcome.kind === 'platform') return ok(subject, `This program responds at ${address}.`)
  if (outcome.kind === 'no answer' || outcome.kind === 'not asked') {
    const fix =
      'Start the server (systemctl start animal-store), or correct HTTP_PORT and LISTEN_ADDRESS.'
    return problem(subject, `Nothing responds at ${address} (${outcome.reason}).`, fix)
  }
  const message = `Another program responds at ${address}, or a server with another SECRET_KEY.`
  return problem(
    subject,
    message,
    'Choose another HTTP_PORT, or use the same SECRET_KEY on all nodes.',
  )
}

async function checkHttps(host: string, address: string, port: number): Promise<Finding> {
  const subject = `HTTPS_PORT ${port}`
  if (port === 0) return skipped(subject, 'The server takes a free port at each start.')
  const [seen] = await fetchPresentedCertificates(host, [address], port, { portOf: () => port })
  if (seen) return ok(subject, `Presents a certificate of ${seen.issuer} for ${host}.`)
  if (await canConnect(address, port)) {
    const message = `Listens at ${address}, but has no certificate for ${host}.`
    return warning(subject, message, 'Look at the certificate authority below, and at the log.')
  }
  const fix = 'Start the server, or correct HTTPS_PORT and LISTEN_ADDRESS.'
  return problem(subject, `Nothing listens at ${address}.`, fix)
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectWithinMs })
    const settle = (isOpen: boolean) => () => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.on('connect', settle(true)).on('timeout', settle(false)).on('error', settle(false))
  })
}
