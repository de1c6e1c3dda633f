// A certificate authority for a test: Pebble, a name server that resolves every host to this test, and servers for
// its challenges. They have a loopback address that no other test uses.
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, createServer as createTlsServer } from 'node:tls'
import {
  type AcmeAccount,
  type AcmeClient,
  type AcmeClientOptions,
  closeAcmeClient,
  createAccount,
  createAcmeClient,
} from '#acme/requests/acme-client.ts'
import { httpChallengePath, tlsChallengeProtocol } from '#acme/resources/orders.ts'
import { createKey } from '#acme/x509/keys.ts'
import {
  findPebble,
  type Pebble,
  type PebbleOptions,
  startPebble,
} from '../../lab/certificate-authority/pebble.ts'
import { listenDns } from '../../lab/dns/listen-dns.ts'

export interface AuthorityInTest {
  pebble: Pebble
  /** PEM. It signs the authority's HTTPS certificate, not the certificates that it issues. */
  trustedRoots: string
  /** Responses to HTTP-01: key authorizations by token. */
  tokens: Map<string, string>
  /** Responses to TLS-ALPN-01: certificates by host. */
  challengeCertificates: Map<string, { chain: string; key: string }>
  /** A client that is closed with the authority. */
  client(options?: Partial<AcmeClientOptions>): AcmeClient
  /** A new account with a new key. */
  account(client?: AcmeClient): Promise<AcmeAccount>
  stop(): Promise<void>
}

/** Throws with what is missing where Pebble is not installed. */
export async function startAuthority(options: PebbleOptions = {}): Promise<AuthorityInTest> {
  const program = findPebble(process.env)
  if (!program) throw new Error('Missing: Debian’s package pebble. `npm test` fetches it.')
  const address = `127.${randomInt(60, 250)}.${randomInt(1, 250)}.${randomInt(2, 250)}`
  const stops: (() => unknown)[] = []
  const tokens = new Map<string, string>()
  const challengeCertificates = new Map<string, { chain: string; key: string }>()
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-acme-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const dns = await startNames(address)
  stops.push(() => dns.close())
  const http = await answerHttp({ address, port: 0 }, tokens)
  stops.push(http.close)
  const tls = await answerTls({ address, port: 0 }, challengeCertificates)
  stops.push(tls.close)
  const pebble = await startPebble(
    program,
    {
      folder,
      address,
      port: 14_000,
      managementPort: 15_000,
      resolver: `${address}:${dns.port}`,
      httpPort: http.port,
      httpsPort: tls.port,
    },
    options,
  )
  stops.push(() => pebble.stop())
  const trustedRoots = await readFile(pebble.rootFile, 'utf8')
  const client = (own: Partial<AcmeClientOptions> = {}): AcmeClient => {
    const made = createAcmeClient({
      directoryUrl: pebble.directoryUrl,
      trustedRoots,
      userAgent: 'Animal-Store-Test',
      now: Date.now,
      ...own,
    })
    stops.push(() => closeAcmeClient(made))
    return made
  }
  return {
    pebble,
    trustedRoots,
    tokens,
    challengeCertificates,
    client,
    async account(by = client()) {
      const privateKey = await createKey()
      const { url } = await createAccount(by, { privateKey, contacts: [] })
      return { url, privateKey }
    },
    async stop() {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}

/** All names resolve to this address, except `missing.` and its subdomains, which do not exist. */
async function startNames(address: string) {
  return await listenDns(address, 0, async ({ name, type }) => {
    const offersRecursion = true
    if (/(^|\.)missing\./.test(name)) return { rcode: 'NXDOMAIN', offersRecursion }
    const found = { name, type: 'A' as const, ttlSeconds: 0, address }
    return { rcode: 'NOERROR', offersRecursion, answers: type === 'A' ? [found] : [] }
  })
}

interface Place {
  address: string
  port: number
}

export async function answerHttp({ address, port }: Place, tokens: Map<string, string>) {
  const server = createHttpServer((request, response) => {
    const path = request.url ?? ''
    const answer = path.startsWith(httpChallengePath)
      ? tokens.get(path.slice(httpChallengePath.length))
      : undefined
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export async function answerTls(
  { address, port }: Place,
  certificates: AuthorityInTest['challengeCertificates'],
) {
  const server = createTlsServer({
    ALPNProtocols: [tlsChallengeProtocol],
    SNICallback: (host, callback) => {
      const found = certificates.get(host)
      if (found) callback(null, createSecureContext({ cert: found.chain, key: found.key }))
      else callback(new Error('no challenge'))
    },
  })
  server.on('secureConnection', (socket) => socket.on('error', () => {}).end())
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  return {
    port: (server.address() as { port: number }).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
