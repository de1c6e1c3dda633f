// How requests come here: whether this machine's listeners are this program's (by a signed nonce over HTTP, and a handshake
// over TLS); the installation's own hosts as the world sees them, their addresses in DNS and whether each leads to this program,
// by the fetch with which a certificate authority validates a host; and whether the proxies in front say whom they serve.
import { randomBytes } from 'node:crypto'
import { connect, isIP } from 'node:net'
import { recordsOfType } from '#dns/messages/exchange.ts'
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'
import { resolve } from '#dns/resolution/look-up.ts'
import { noIpv6 } from '#doctor/evidence.ts'
import {
  fetchPresentedCertificates,
  type ProbePorts,
  probe,
  probePortsOf,
} from '#domains/evidence/fetch-at-address.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, isPrivateName, ownHostsOf, visitorsHttpsPort } from '#kit/config/config.ts'
import type { ForwardedRequests } from '#kit/network/client-addresses.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'

const ports = findingsOf('ports')
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
  if (!secrets) return [ports.skipped('HTTP_PORT', 'The server has not been started here yet.')]
  return await Promise.all([
    checkHttp(host, address, httpPort, secrets),
    httpsPort === undefined
      ? ports.skipped('HTTPS_PORT', 'HTTPS is off.')
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
  if (port === 0) return ports.skipped(subject, 'The server takes a free port at each start.')
  const { outcome } = await probe(host, address, secrets, { portOf: () => port })
  if (outcome.kind === 'platform') return ports.ok(subject, `This program responds at ${address}.`)
  if (outcome.kind === 'no answer' || outcome.kind === 'not asked') {
    const fix =
      'Start the server (systemctl start animal-store), or correct HTTP_PORT and LISTEN_ADDRESS.'
    return ports.problem(subject, `Nothing responds at ${address} (${outcome.reason}).`, fix)
  }
  const message = `Another program responds at ${address}, or a server with another SECRET_KEY.`
  return ports.problem(
    subject,
    message,
    'Choose another HTTP_PORT, or use the same SECRET_KEY on all nodes.',
  )
}

async function checkHttps(host: string, address: string, port: number): Promise<Finding> {
  const subject = `HTTPS_PORT ${port}`
  if (port === 0) return ports.skipped(subject, 'The server takes a free port at each start.')
  const [seen] = await fetchPresentedCertificates(host, [address], port, { portOf: () => port })
  if (seen) return ports.ok(subject, `Presents a certificate of ${seen.issuer} for ${host}.`)
  if (await canConnect(address, port)) {
    const message = `Listens at ${address}, but has no certificate for ${host}.`
    return ports.warning(
      subject,
      message,
      'Look at the certificate authority below, and at the log.',
    )
  }
  const fix = 'Start the server, or correct HTTPS_PORT and LISTEN_ADDRESS.'
  return ports.problem(subject, `Nothing listens at ${address}.`, fix)
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

interface HostsContext {
  config: Config
  clock: Clock
  network: DnsNetwork
  /** Undefined before the first start: no server can answer a probe. */
  secrets: Secrets | undefined
}

const dns = findingsOf('dns')
const outside = findingsOf('outside')
const httpsPort = 443
/** Of each host: addresses behind one name are usually a few load balancers. */
const maxAddresses = 4

interface ResolvedHost {
  host: string
  addresses: string[]
  finding: Finding
}

export async function checkHosts(
  { clock, config, network, secrets }: HostsContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { platformHost } = config
  // Any subdomain: a site is served at each.
  const site = `check-${randomBytes(4).toString('hex')}.${platformHost}`
  const hosts = [...new Set([...ownHostsOf(config), platformHost, site])]
  const inquiry = startInquiry({ network, clock, signal })
  const resolved = await Promise.all(
    hosts.map(async (host): Promise<ResolvedHost> => {
      const shown = host === site ? `*.${platformHost}` : host
      const addresses = withoutLookup(host, shown) ?? (await lookUp(inquiry, host, shown))
      return { ...addresses, host }
    }),
  )
  const ports = probePortsOf(config)
  const reached = resolved
    .filter(({ addresses }) => addresses.length > 0)
    .map(async ({ addresses, finding, host }) => {
      const place = { host, shown: finding.subject, addresses: addresses.slice(0, maxAddresses) }
      return await checkFromOutside(place, config, secrets, ports, network.hasIpv6)
    })
  const names = resolved.map(({ finding }) => finding)
  const extra = platformAddressFinding(config, resolved)
  return [...names, ...(extra ? [extra] : []), ...(await Promise.all(reached)).flat()]
}

/** Addresses, and names that are not in DNS. */
function withoutLookup(host: string, shown: string): Omit<ResolvedHost, 'host'> | undefined {
  const address = host.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0) {
    const finding = dns.skipped(shown, 'It is an address, which needs no DNS record.')
    return { addresses: [address], finding }
  }
  if (!/(^|\.)localhost$/.test(host)) return undefined
  return { addresses: [], finding: dns.skipped(shown, 'Only this machine can use this name.') }
}

async function lookUp(
  inquiry: ReturnType<typeof startInquiry>,
  host: string,
  shown: string,
): Promise<Omit<ResolvedHost, 'host'>> {
  const { resolver } = inquiry.network
  if (!resolver) {
    const fix = 'Set DNS_SERVERS, or configure a resolver on this machine.'
    return { addresses: [], finding: dns.problem(shown, 'There is no resolver to ask.', fix) }
  }
  const answers = await Promise.all(
    (['A', 'AAAA'] as const).map((type) => resolve(inquiry, resolver, { name: host, type })),
  )
  const addresses = answers.flatMap(({ records }) =>
    recordsOfType(records, 'A', 'AAAA').map(({ address }) => address),
  )
  if (addresses.length > 0)
    return { addresses, finding: dns.ok(shown, `Resolves to ${addresses.join(', ')}.`) }
  const failed = answers.find(({ outcome }) => outcome === 'failure')
  if (failed) {
    const reason = failed.rcode === 'failure' ? 'no response' : failed.rcode
    const message = `The resolver ${resolver.address} could not resolve it (${reason}).`
    const fix = "Check DNS_SERVERS, this machine's network, and the name servers of the zone."
    return { addresses: [], finding: dns.problem(shown, message, fix) }
  }
  const message = 'It has neither an A nor an AAAA record.'
  const finding = isPrivateName(host)
    ? dns.warning(shown, message, 'Only machines with an entry in their hosts file can use it.')
    : dns.problem(
        shown,
        message,
        'Create an A record (and AAAA for IPv6) with the address of this server or its load balancer.',
      )
  return { addresses: [], finding }
}

/** Owners of domains without CNAME are told PLATFORM_ADDRESSES: a stale one sends their visitors elsewhere. */
function platformAddressFinding(
  { platformAddresses, platformHost }: Config,
  resolved: ResolvedHost[],
): Finding | undefined {
  const ownAddresses = resolved.find(({ host }) => host === platformHost)?.addresses ?? []
  const stale = platformAddresses.filter((address) => !ownAddresses.includes(address))
  if (ownAddresses.length === 0 || stale.length === 0) return undefined
  const message = `${platformHost} does not resolve to ${stale.join(', ')}.`
  const fix = 'Correct PLATFORM_ADDRESSES, or the records of PLATFORM_HOST.'
  return dns.warning('PLATFORM_ADDRESSES', message, fix)
}

async function checkFromOutside(
  { addresses, host, shown }: { host: string; shown: string; addresses: string[] },
  config: Config,
  secrets: Secrets | undefined,
  ports: ProbePorts,
  hasIpv6: boolean,
): Promise<Finding[]> {
  if (!secrets) return [outside.skipped(shown, 'The server has not been started here yet.')]
  const probes = await Promise.all(
    addresses.map((address) => probe(host, address, secrets, ports, hasIpv6)),
  )
  const unasked = probes.flatMap(({ address, outcome }) =>
    outcome.kind === 'not asked' && outcome.reason === noIpv6 ? [address] : [],
  )
  // Once, not for each host.
  const message = `${unasked.join(', ')}: not asked, ${noIpv6}. Whether they reach this program is not known.`
  const note =
    unasked.length > 0 && host === config.platformHost ? [outside.skipped(shown, message)] : []
  const probed = probes.filter(({ outcome }) => outcome.kind !== 'not asked')
  if (unasked.length > 0 && probed.length === 0) return note
  if (probed.length === 0) {
    const message = `${addresses.join(', ')}: not public. List such addresses in CHECK_ALLOW (http:) to check them.`
    return [outside.skipped(shown, message)]
  }
  const wrong = probed.find(({ outcome }) => outcome.kind !== 'platform')
  if (wrong) return [...note, unreachable(shown, wrong)]
  const at = probed.map(({ address }) => address)
  const findings = [...note, outside.ok(shown, `Port 80 at ${at.join(', ')} reaches this program.`)]
  // A site that does not exist has no certificate.
  if (shown.startsWith('*.')) return findings
  return [...findings, ...(await checkCertificates(shown, at, config, ports))]
}

type Reached = Awaited<ReturnType<typeof probe>>

function unreachable(shown: string, { address, outcome }: Reached): Finding {
  if (outcome.kind === 'no answer') {
    const message = `Port 80 at ${address} does not respond (${outcome.reason}).`
    const fix =
      'Open port 80 in the firewall and forward it to HTTP_PORT. Certificates are validated there. If other networks reach it, this network cannot reach its own public address: nothing to do.'
    return outside.problem(shown, message, fix)
  }
  if (outcome.kind === 'redirect loop') {
    const message = `Port 80 at ${address} redirects in a circle (${outcome.location}).`
    return outside.problem(
      shown,
      message,
      'Remove the redirect of the proxy in front of this program.',
    )
  }
  const server = outcome.kind === 'other' ? (outcome.server ?? outcome.platform) : undefined
  const message = `Another server responds at ${address}, port 80${server ? ` (${server})` : ''}.`
  const fix =
    'Point the DNS record to this server. A proxy in front of it must pass on /.well-known/ on port 80 with its Host.'
  return outside.problem(shown, message, fix)
}

async function checkCertificates(
  host: string,
  addresses: string[],
  config: Config,
  ports: ProbePorts,
): Promise<Finding[]> {
  const isHttps = [config.baseUrl, config.stagingBaseUrl, config.dashboardUrl].some(
    (url) => url.hostname === host && url.protocol === 'https:',
  )
  const port = visitorsHttpsPort(config) ?? (isHttps ? httpsPort : undefined)
  // The platform host itself is only the target of CNAME records.
  if (port === undefined || host === config.platformHost) return []
  const certificates = await fetchPresentedCertificates(host, addresses, port, ports)
  const missing = addresses.find((address) => !certificates.some((one) => one.address === address))
  const [first] = certificates
  if (missing === undefined && first)
    return [outside.ok(host, `Port ${port} presents a certificate of ${first.issuer}.`)]
  const message = `Port ${port} at ${missing} presents no certificate for this host.`
  const fix = `Open port ${port} in the firewall and forward it to HTTPS_PORT; then look at the certificate authority.`
  return [isHttps ? outside.problem(host, message, fix) : outside.warning(host, message, fix)]
}

const proxies = findingsOf('proxies')

/** `seen`: undefined outside of a server. */
export function checkProxies(
  { trustedProxies }: Pick<Config, 'trustedProxies'>,
  seen: ForwardedRequests | undefined,
): Finding[] {
  const subject = 'TRUSTED_PROXIES'
  if (!seen) {
    return [
      proxies.skipped(subject, 'Only the server sees requests: run the checks on the System page.'),
    ]
  }
  const { named, unnamed } = seen
  const unexplained = unnamed.map(({ isTrusted, peer }) =>
    isTrusted
      ? proxies.warning(
          peer,
          'This proxy is trusted, but does not send X-Forwarded-For: its clients have no address.',
          'Configure it to send the address of the client in X-Forwarded-For.',
        )
      : proxies.warning(
          peer,
          'A proxy forwards requests from here, but is not trusted: its clients have no address.',
          `Add ${peer} to TRUSTED_PROXIES.`,
        ),
  )
  if (unexplained.length > 0) return unexplained
  if (named.length > 0) return [proxies.ok(named.join(', '), 'Names the client of each request.')]
  const text = 'No request has come through a proxy since this process started.'
  if (trustedProxies.length === 0) return [proxies.ok(subject, text)]
  return [proxies.skipped(subject, `${text} TRUSTED_PROXIES is not needed until then.`)]
}
