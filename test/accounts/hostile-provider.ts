// A provider that does what a test says: ID tokens with any claims and any key, any bodies, any delays. Only for attacks;
// the usual flow is tested with oidc-provider.
import { createSign, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { IdentityProviderSettings } from '#kit/config/config.ts'
import { listenOnFreePort } from '../listen.ts'

const clientId = 'animal-store'

export async function startHostileProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer()
  const origin = `http://localhost:${await listenOnFreePort(server)}`
  let nonce = ''
  const settings: IdentityProviderSettings = {
    issuer: new URL(origin),
    clientId,
    clientSecret: 'a secret of the client',
    name: 'Hostile ID',
    emailDomains: [],
    createsAccounts: true,
    trustedRoots: undefined,
  }
  const self = {
    origin,
    settings,
    /** Change the claims of the next ID tokens. */
    claims: {} as Record<string, unknown>,
    /** Fields of the metadata. */
    metadata: {} as Record<string, unknown>,
    /** Signs the next ID tokens. */
    key: privateKey,
    /** Responds instead, by path. */
    answers: new Map<string, (request: IncomingMessage, response: ServerResponse) => void>(),
    requests: [] as string[],
    /** The query of the callback for an address at the provider. */
    callbackFor(address: string, changes: Record<string, string> = {}) {
      const { searchParams } = new URL(address)
      nonce = searchParams.get('nonce') ?? ''
      const state = searchParams.get('state') ?? ''
      return new URLSearchParams({ code: 'a code', state, iss: origin, ...changes }).toString()
    },
  }

  function idToken(): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: origin,
      aud: clientId,
      sub: 'somebody',
      email: 'somebody@example.com',
      email_verified: true,
      iat: now,
      exp: now + 300,
      nonce,
      ...self.claims,
    }
    const encode = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${encode({ alg: 'RS256', kid: 'k' })}.${encode(claims)}`
    return `${text}.${createSign('RSA-SHA256').update(text).sign(self.key).toString('base64url')}`
  }

  const json = (response: ServerResponse, value: object): void => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  }
  server.on('request', (request, response) => {
    const path = new URL(request.url ?? '/', origin).pathname
    self.requests.push(path)
    request.resume()
    const answer = self.answers.get(path)
    if (answer) answer(request, response)
    else if (path === '/.well-known/openid-configuration') {
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...self.metadata,
      })
    } else if (path === '/jwks') {
      const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }
      json(response, { keys: [key] })
    } else if (path === '/token') {
      json(response, { access_token: 'x', token_type: 'Bearer', id_token: idToken() })
    } else response.writeHead(404).end()
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return self
}
