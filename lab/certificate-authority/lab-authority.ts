// The lab's own certificate authority, for machines without Pebble: ACME (RFC 8555) with renewal information
// (RFC 9773) over HTTPS. Unlike Pebble it checks CAA records. Its state is in memory.
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInternalRoot, signHostCertificate } from '#acme/x509/certificate.ts'
import type { Awaitable } from '#kit/database/database.ts'
import type { Resolver } from '../dns/resolver.ts'
import { issueForLab, listenHttps } from '../web/web-servers.ts'
import {
  createAccount,
  createOrder,
  finalizeOrder,
  notFound,
  readRenewalInfo,
  readResource,
} from './acme-operations.ts'
import {
  type AcmeContext,
  type AcmeResponse,
  type AuthorityPolicy,
  createAcmeState,
  createNonces,
  Problem,
  problemDocument,
  readSigned,
  usualPolicy,
} from './acme-state.ts'
import { validateHost } from './validate-host.ts'

/** The name of this authority in CAA and TXT records. */
const caaIdentity = 'lantern-ca.example'

export interface CertificateAuthority {
  title: string
  /** The ACME directory (RFC 8555, section 7.1.1). */
  directoryUrl: string
  /** A PEM file: the root of the authority's HTTPS certificate. */
  rootFile: string
  /** The root of the certificates that it issues, PEM. */
  root(): Promise<string>
  /** Of the lab's own authority. It can be changed while that runs. */
  policy?: AuthorityPolicy
  stop(): Promise<void>
}

export interface AuthorityOptions {
  /** For the authority's files; the caller removes it. */
  folder: string
  address: string
  port: number
  /** Of Pebble's management interface. */
  managementPort: number
  /** `address:port` of the resolver that Pebble uses. */
  resolver: string
  /** The ports on which challenges are fetched. */
  httpPort: number
  httpsPort: number
}

const maxBodyBytes = 64 * 1024
const hourMs = 3_600_000
const usualValidityMs = 90 * 24 * hourMs

export type LabAuthority = Awaited<ReturnType<typeof startLabAuthority>>
export type PlacedOrder = ReturnType<LabAuthority['orders']>[number]

export async function startLabAuthority(
  { address, folder, httpPort, httpsPort, port }: AuthorityOptions,
  {
    now,
    resolver,
    policy: given,
    validityMs = usualValidityMs,
  }: {
    now(): number
    policy?: Partial<AuthorityPolicy>
    resolver: Resolver
    validityMs?: number
  },
) {
  const issuer = await createInternalRoot('Lantern Lab CA', now())
  const web = await issueForLab([address, 'localhost'])
  const rootFile = join(folder, 'authority-root.pem')
  await writeFile(rootFile, web.root)
  const base = `https://${address}:${port}`
  const validation = { resolver, identity: caaIdentity, httpPort, httpsPort, now }
  const state = createAcmeState(base)
  const policy = { ...usualPolicy, ...given }
  const handle = createAcmeHandler(base, {
    state,
    policy,
    identity: caaIdentity,
    now,
    validate: (challenge) => validateHost(validation, challenge),
    sign: (hosts, publicKey) =>
      signHostCertificate(issuer, hosts, publicKey, {
        notBefore: now() - Math.min(hourMs, validityMs / 20),
        notAfter: now() + validityMs,
      }),
  })
  const server = await listenHttps(address, port, web, (request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  return {
    title: 'Lantern Lab CA',
    directoryUrl: `${base}/dir`,
    rootFile,
    root: async () => issuer.chain,
    policy,
    /** All orders, in the order in which they were placed, for tests. `chain`: PEM; undefined unless one was issued. */
    orders: () =>
      [...state.orders.values()].map(({ authorizations, certificate = '', placedAt, profile }) => ({
        hosts: authorizations.map(({ host }) => host),
        placedAt,
        profile,
        isFailed: authorizations.some(({ status }) => status === 'invalid'),
        chain: state.certificates.get(certificate)?.chain,
      })),
    stop: server.close,
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Every response carries a new nonce, errors too (RFC 8555, section 6.5). */
function createAcmeHandler(base: string, context: AcmeContext): Handler {
  const nonces = createNonces()
  return async (request, response) => {
    const { method, url = '/' } = request
    let answer: AcmeResponse
    try {
      answer =
        method === 'POST'
          ? await routeSigned(base, context, nonces.use, base + url, await readBody(request))
          : routePlain(base, context, url)
    } catch (error) {
      answer = problemResponse(error as Error)
    }
    const { body, location, status, type = 'application/json' } = answer
    response.writeHead(status, {
      'Replay-Nonce': nonces.create(),
      'Cache-Control': 'no-store',
      Link: `<${base}/dir>;rel="index"`,
      ...(location && { Location: location }),
      ...(body !== undefined && { 'Content-Type': type }),
    })
    response.end(typeof body === 'string' ? body : body && JSON.stringify(body))
  }
}

function routeSigned(
  base: string,
  context: AcmeContext,
  useNonce: (nonce: unknown) => boolean,
  url: string,
  body: string,
): Awaitable<AcmeResponse> {
  const { accounts, orders } = context.state
  const path = url.slice(base.length)
  const signed = readSigned(body, url, useNonce, (kid) => accounts.get(kid)?.jwk)
  if (path === '/new-account') return createAccount(context, signed)
  const account = accounts.get(signed.kid ?? '')
  if (!account) throw new Problem(401, 'unauthorized', 'no valid account')
  const { payload } = signed
  if (path === '/new-order') return createOrder(context, account, payload ?? {})
  const order = path.endsWith('/finalize') ? orders.get(url.replace(/\/finalize$/, '')) : undefined
  if (order?.account === account.url) return finalizeOrder(context, order, payload ?? {})
  return readResource(context, account, url, payload)
}

function routePlain(base: string, context: AcmeContext, path: string): AcmeResponse {
  if (path === '/dir') return { status: 200, body: directory(base, context) }
  if (path === '/new-nonce') return { status: 204 }
  const renewalId = /^\/renewal-info\/(.+)$/.exec(path)?.[1]
  if (renewalId === undefined) throw notFound()
  return readRenewalInfo(context, renewalId)
}

function directory(base: string, { identity, policy }: AcmeContext): object {
  const described = Object.keys(policy.profiles).map((name) => [name, `The profile ${name}.`])
  return {
    newNonce: `${base}/new-nonce`,
    newAccount: `${base}/new-account`,
    newOrder: `${base}/new-order`,
    renewalInfo: `${base}/renewal-info`,
    meta: {
      caaIdentities: [identity],
      externalAccountRequired: false,
      ...(described.length > 0 && { profiles: Object.fromEntries(described) }),
    },
  }
}

function problemResponse(error: Error): AcmeResponse {
  const { status, type } = error instanceof Problem ? error : { status: 400, type: 'malformed' }
  const body = { ...problemDocument({ type, detail: error.message }), status }
  return { status, body, type: 'application/problem+json' }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxBodyBytes) throw new Problem(400, 'malformed', 'the request is too long')
  }
  return text
}
