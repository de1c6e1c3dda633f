// The certificate authority of a lab, with the program's ACME client, and servers at the lab's server address that answer
// its challenges.
import { readFile } from 'node:fs/promises'
import { createSecureContext, createServer } from 'node:tls'
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
import { listen } from '../../lab/web/web-servers.ts'
import { startLabForTest } from '../lab/started-lab.ts'

export interface Places {
  /** Responses to HTTP-01: key authorizations by token. */
  tokens: Map<string, string>
  /** Responses to TLS-ALPN-01: certificates by host. */
  challengeCertificates: Map<string, { chain: string; key: string }>
}

export type AuthorityInTest = Awaited<ReturnType<typeof startAuthority>>

/** Pebble, or with PEBBLE empty in `env` the lab's own. Throws with what is missing where Pebble is not installed. */
export async function startAuthority(options: Parameters<typeof startLabForTest>[0]) {
  const lab = await startLabForTest(options)
  const { authority, topology } = lab
  if (!authority) throw new Error('Missing: Debian’s package pebble. `npm test` fetches it.')
  const { ports, server: address } = topology
  const places: Places = { tokens: new Map(), challengeCertificates: new Map() }
  const http = await answerHttp({ address, port: ports.http }, places.tokens)
  const tls = await answerTls({ address, port: ports.https }, places.challengeCertificates)
  const trustedRoots = await readFile(authority.rootFile, 'utf8')
  const clients: AcmeClient[] = []
  return {
    lab,
    directoryUrl: authority.directoryUrl,
    /** PEM. It signs the authority's HTTPS certificate, not the certificates that it issues. */
    trustedRoots,
    places,
    /** A client that is closed with the authority. */
    client(own: Partial<AcmeClientOptions> = {}): AcmeClient {
      const made = createAcmeClient({
        directoryUrl: authority.directoryUrl,
        trustedRoots,
        userAgent: 'Animal-Store-Test',
        now: Date.now,
        ...own,
      })
      clients.push(made)
      return made
    },
    /** A new account with a new key. */
    async account(by: AcmeClient): Promise<AcmeAccount> {
      const privateKey = await createKey()
      const { url } = await createAccount(by, { privateKey, contacts: [] })
      return { url, privateKey }
    },
    async stop() {
      for (const client of clients) closeAcmeClient(client)
      await http.close()
      await tls.close()
      await lab.stop()
    },
  }
}

interface Place {
  address: string
  port: number
}

const answerHttp = ({ address, port }: Place, tokens: Map<string, string>) =>
  listen(address, port, ({ url = '' }, response) => {
    const [, token = ''] = url.split(httpChallengePath)
    const answer = tokens.get(token)
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })

async function answerTls({ address, port }: Place, certificates: Places['challengeCertificates']) {
  const server = createServer({
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
  return { close: () => new Promise((resolve) => server.close(resolve)) }
}
