// The lab's own certificate authority, for machines without Pebble: ACME as RFC 8555 has it, with renewal
// information (RFC 9773), for hosts that the lab's resolver knows. Unlike Pebble it obeys CAA. It keeps
// everything in memory.
import { randomBytes, X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { readCertificate } from '../../server/publishing/acme/x509/certificate-facts.ts'
import {
  authorityKeyId,
  basicConstraints,
  forServers,
  keyUsage,
  subjectAltName,
  subjectKeyId,
} from '../../server/publishing/acme/x509/extensions.ts'
import {
  createInternalRoot,
  issueInternally,
} from '../../server/publishing/acme/x509/internal-issuer.ts'
import {
  keyIdOf,
  type PublicJwk,
  publicKeyInfo,
  readKey,
  thumbprint,
} from '../../server/publishing/acme/x509/keys.ts'
import { pemOf, signCertificate } from '../../server/publishing/acme/x509/sign-certificate.ts'
import type { Resolver } from '../dns/resolver.ts'
import {
  createNonces,
  keyAuthorizationOf,
  Problem,
  readJws,
  readSigned,
  type SignedRequest,
} from './acme-requests.ts'
import type { AuthorityPlace, CertificateAuthority } from './certificate-authority.ts'
import { readRequest } from './read-request.ts'
import { findRefusal, type Refusal, type Sight } from './validate-host.ts'

/** What CAA records have to name. */
export const ownIdentity = 'lantern-ca.example'

export interface OwnAuthorityOptions {
  resolver: Resolver
  now?(): number
  /** Of every certificate; 90 days unless told. */
  validityMs?: number
}

const methods = ['http-01', 'tls-alpn-01'] as const

interface Account {
  url: string
  jwk: PublicJwk
  status: 'valid' | 'deactivated'
  contact: string[]
}

interface Authorization {
  url: string
  host: string
  status: 'pending' | 'valid' | 'invalid' | 'deactivated'
  token: string
  /** By which it is being, or was, validated. */
  method: (typeof methods)[number] | undefined
  refusal: Refusal | undefined
}

interface Order {
  url: string
  account: string
  authorizations: Authorization[]
  certificate: string | undefined
  replaces: string | undefined
}

interface Answer {
  status: number
  body?: unknown
  location?: string
  type?: string
}

const maxBytes = 64 * 1024
const dayMs = 86_400_000

export async function startOwnAuthority(
  place: AuthorityPlace,
  { now = Date.now, resolver, validityMs = 90 * dayMs }: OwnAuthorityOptions,
): Promise<CertificateAuthority> {
  const { address, folder, httpPort, httpsPort, port } = place
  const web = await createInternalRoot('Lab root', Date.now())
  const issuer = await createInternalRoot('Lantern Lab CA', now())
  const own = await issueInternally(web, [address, 'localhost'], { days: 365, now: Date.now() })
  const rootFile = join(folder, 'authority-root.pem')
  await writeFile(rootFile, web.chain)
  const base = `https://${address}:${port}`
  const sight: Sight = { resolver, identity: ownIdentity, httpPort, httpsPort }
  const nonces = createNonces()
  const accounts = new Map<string, Account>()
  const orders = new Map<string, Order>()
  const authorizations = new Map<string, Authorization>()
  const certificates = new Map<string, { chain: string; account: string; isRevoked: boolean }>()
  const newUrl = (kind: string): string => `${base}/${kind}/${randomBytes(9).toString('base64url')}`
  const isValid = ({ status }: Authorization): boolean => status === 'valid'

  function issue(hosts: string[], publicKey: Buffer): string {
    const signer = readKey(issuer.key)
    const name = /^CN=(.*)$/m.exec(new X509Certificate(issuer.chain).subject)?.[1] ?? ''
    return signCertificate(
      {
        subject: '',
        issuer: name,
        notBefore: now() - 3_600_000,
        notAfter: now() + validityMs,
        publicKey,
        extensions: [
          subjectAltName(hosts, true),
          basicConstraints(false),
          keyUsage('host'),
          forServers(),
          subjectKeyId(keyIdOf(publicKey)),
          authorityKeyId(keyIdOf(publicKeyInfo(signer))),
        ],
      },
      signer,
    )
  }

  const showAccount = ({ contact, status, url }: Account, made: number): Answer => ({
    status: made,
    location: url,
    body: { status, contact, orders: `${url}/orders` },
  })

  function showOrder(order: Order, made = 200): Answer {
    const { authorizations: needed, certificate, replaces, url } = order
    const failed = needed.find(({ status }) => status !== 'valid' && status !== 'pending')
    const pending = needed.every(isValid) ? 'ready' : 'pending'
    const status = certificate ? 'valid' : failed ? 'invalid' : pending
    return {
      status: made,
      location: url,
      body: {
        status,
        identifiers: needed.map(({ host }) => ({ type: 'dns', value: host })),
        authorizations: needed.map((each) => each.url),
        finalize: `${url}/finalize`,
        ...(certificate && { certificate }),
        ...(replaces && { replaces }),
        ...(failed?.refusal && { error: problemBody(failed.refusal) }),
      },
    }
  }

  const showChallenge = (authorization: Authorization, method: (typeof methods)[number]) => {
    const { refusal, status, token, url } = authorization
    const isTried = authorization.method === method
    return {
      type: method,
      url: `${url}/${method}`,
      token,
      status: isTried ? (status === 'pending' ? 'processing' : status) : 'pending',
      ...(isTried && refusal && { error: problemBody(refusal) }),
    }
  }

  const showAuthorization = (authorization: Authorization): Answer => ({
    status: 200,
    body: {
      status: authorization.status,
      identifier: { type: 'dns', value: authorization.host },
      challenges: methods
        .filter((each) => (authorization.method ?? each) === each)
        .map((each) => showChallenge(authorization, each)),
    },
  })

  function newAccount({ jwk, payload = {} }: SignedRequest): Answer {
    const known = [...accounts.values()].find((each) => thumbprint(each.jwk) === thumbprint(jwk))
    if (known) return showAccount(known, 200)
    if (payload.onlyReturnExisting === true) {
      throw new Problem(400, 'accountDoesNotExist', 'this key has no account')
    }
    const account: Account = {
      url: newUrl('account'),
      jwk,
      status: 'valid',
      contact: textsOf(payload.contact),
    }
    accounts.set(account.url, account)
    return showAccount(account, 201)
  }

  async function newOrder(account: Account, payload: Record<string, unknown>): Promise<Answer> {
    const hosts = (payload.identifiers as { type: string; value: string }[] | undefined) ?? []
    if (
      hosts.length === 0 ||
      hosts.some(({ type, value }) => type !== 'dns' || /[^a-z0-9.-]/.test(value))
    ) {
      throw new Problem(400, 'rejectedIdentifier', 'only host names in lower case are certified')
    }
    const needed = hosts.map(({ value }): Authorization => {
      const authorization: Authorization = {
        url: newUrl('authorization'),
        host: value,
        status: 'pending',
        token: randomBytes(24).toString('base64url'),
        method: undefined,
        refusal: undefined,
      }
      authorizations.set(authorization.url, authorization)
      return authorization
    })
    const order: Order = {
      url: newUrl('order'),
      account: account.url,
      authorizations: needed,
      certificate: undefined,
      replaces: typeof payload.replaces === 'string' ? payload.replaces : undefined,
    }
    orders.set(order.url, order)
    return showOrder(order, 201)
  }

  function answerChallenge(account: Account, url: string): Answer | undefined {
    const [, of = '', name] = /^(.*)\/([a-z0-9-]+)$/.exec(url) ?? []
    const authorization = authorizations.get(of)
    const method = methods.find((each) => each === name)
    if (!authorization || !method) return undefined
    if (authorization.status === 'pending' && authorization.method === undefined) {
      authorization.method = method
      const { host, token } = authorization
      const keyAuthorization = keyAuthorizationOf(token, account.jwk)
      const asked = { host, method, token, keyAuthorization, accountUri: account.url }
      void findRefusal(sight, asked).then((refusal) => {
        authorization.refusal = refusal
        authorization.status = refusal ? 'invalid' : 'valid'
      })
    }
    return { status: 200, body: showChallenge(authorization, method) }
  }

  function finalize(order: Order, payload: Record<string, unknown>): Answer {
    if (!order.authorizations.every(isValid)) {
      throw new Problem(403, 'orderNotReady', 'authorizations are missing')
    }
    if (order.certificate) return showOrder(order)
    const { hosts, publicKey } = readRequest(Buffer.from(String(payload.csr), 'base64url'))
    const wanted = order.authorizations.map(({ host }) => host)
    if (hosts.toSorted().join() !== wanted.toSorted().join()) {
      throw new Problem(400, 'badCSR', 'the request is for other hosts than the order')
    }
    const url = newUrl('certificate')
    certificates.set(url, {
      chain: issue(wanted, publicKey),
      account: order.account,
      isRevoked: false,
    })
    order.certificate = url
    return showOrder(order)
  }

  function revoke(account: Account, payload: Record<string, unknown>): Answer {
    const chain = pemOf('CERTIFICATE', Buffer.from(String(payload.certificate), 'base64url'))
    const found = [...certificates.values()].find((each) => each.chain === chain)
    if (found?.account !== account.url) throw new Problem(403, 'unauthorized', 'this is not yours')
    if (found.isRevoked) throw new Problem(400, 'alreadyRevoked', 'it is revoked already')
    found.isRevoked = true
    return { status: 200 }
  }

  function changeKey(account: Account, payload: Record<string, unknown>): Answer {
    const { jwk } = readJws(payload as never, () => undefined)
    const taken = [...accounts.values()].some((each) => thumbprint(each.jwk) === thumbprint(jwk))
    if (taken) throw new Problem(409, 'conflict', 'this key has an account')
    account.jwk = jwk
    return showAccount(account, 200)
  }

  function changeAccount(account: Account, payload: Record<string, unknown> | undefined): Answer {
    if (payload?.status === 'deactivated') account.status = 'deactivated'
    if (payload?.contact) account.contact = textsOf(payload.contact)
    return showAccount(account, 200)
  }

  function readAt(
    url: string,
    account: Account,
    payload: Record<string, unknown> | undefined,
  ): Answer {
    const authorization = authorizations.get(url)
    if (authorization) {
      if (payload?.status === 'deactivated') authorization.status = 'deactivated'
      return showAuthorization(authorization)
    }
    const order = orders.get(url)
    if (order?.account === account.url) return showOrder(order)
    const certificate = certificates.get(url)
    if (certificate?.account === account.url) {
      const type = 'application/pem-certificate-chain'
      return { status: 200, body: certificate.chain, type }
    }
    if (accounts.get(url) === account) return changeAccount(account, payload)
    const answered = payload && answerChallenge(account, url)
    if (answered) return answered
    throw new Problem(404, 'malformed', 'there is nothing here')
  }

  async function answerSigned(url: string, body: string): Promise<Answer> {
    const path = url.slice(base.length)
    const keyOf = (kid: string) => accounts.get(kid)?.jwk
    const signed = readSigned(body, url, nonces.use, keyOf)
    if (path === '/new-account') return newAccount(signed)
    const account = accounts.get(signed.kid ?? '')
    if (account?.status !== 'valid') throw new Problem(401, 'unauthorized', 'call an account')
    const { payload } = signed
    if (path === '/new-order') return await newOrder(account, payload ?? {})
    if (path === '/revoke') return revoke(account, payload ?? {})
    if (path === '/change-key') return changeKey(account, payload ?? {})
    const order = path.endsWith('/finalize')
      ? orders.get(url.replace(/\/finalize$/, ''))
      : undefined
    if (order?.account === account.url) return finalize(order, payload ?? {})
    return readAt(url, account, payload)
  }

  function answerPlain(path: string): Answer {
    if (path === '/dir') {
      return {
        status: 200,
        body: {
          newNonce: `${base}/new-nonce`,
          newAccount: `${base}/new-account`,
          newOrder: `${base}/new-order`,
          revokeCert: `${base}/revoke`,
          keyChange: `${base}/change-key`,
          renewalInfo: `${base}/renewal-info`,
          meta: { caaIdentities: [ownIdentity], externalAccountRequired: false },
        },
      }
    }
    if (path === '/new-nonce') return { status: 204 }
    const renewalId = /^\/renewal-info\/(.+)$/.exec(path)?.[1]
    for (const { chain, isRevoked } of renewalId ? certificates.values() : []) {
      const { notAfter, notBefore, renewalId: id } = readCertificate(chain)
      if (id !== renewalId) continue
      const start = isRevoked ? now() - dayMs : notAfter - (notAfter - notBefore) / 3
      const window = [start, start + dayMs].map((at) => new Date(at).toISOString())
      return { status: 200, body: { suggestedWindow: { start: window[0], end: window[1] } } }
    }
    throw new Problem(404, 'malformed', 'there is nothing here')
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/' } = request
    let given: Answer
    try {
      given =
        method === 'POST'
          ? await answerSigned(base + url, await readBody(request))
          : answerPlain(url)
    } catch (error) {
      const isProblem = error instanceof Problem
      const status = isProblem ? error.status : 400
      const type = isProblem ? error.type : 'malformed'
      const body = problemBody({ type, detail: (error as Error).message })
      given = { status, body: { ...body, status }, type: 'application/problem+json' }
    }
    const { body, location, status, type = 'application/json' } = given
    response.writeHead(status, {
      'Replay-Nonce': nonces.make(),
      'Cache-Control': 'no-store',
      Link: `<${base}/dir>;rel="index"`,
      ...(location && { Location: location }),
      ...(body !== undefined && { 'Content-Type': type }),
    })
    response.end(typeof body === 'string' ? body : body && JSON.stringify(body))
  }

  const sockets = new Set<Socket>()
  const server = createServer({ cert: own.chain, key: own.key }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve)
  })
  return {
    title: 'Lantern Lab CA',
    directoryUrl: `${base}/dir`,
    rootFile,
    root: async () => issuer.chain,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function problemBody({ detail, type }: { type: string; detail: string }) {
  return { type: `urn:ietf:params:acme:error:${type}`, detail }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxBytes) throw new Problem(400, 'malformed', 'the request is too long')
  }
  return text
}
