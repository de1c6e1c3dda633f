// An OpenID Connect provider (oidc-provider) on a free port of this machine, whose only login page signs in the person
// whom the test has set; and a browser that follows its redirects.
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { createServer as createSecureServer, request as httpsRequest } from 'node:https'
import { type Context, Provider } from 'oidc-provider'
import type { IdentityProviderSettings } from '#kit/config/config.ts'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'
import { listenOnFreePort } from '../listen.ts'
import type { AccountsInTest } from './accounts-in-test.ts'

export interface Person {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  /** How the provider has authenticated the person. */
  amr?: string[]
}

export interface ProviderInTest {
  origin: string
  /** Who signs in next; undefined cancels. */
  person: Person | undefined
  /** Closes connections instead of answering. */
  isDown: boolean
  /** Requests, by path. */
  requests: string[]
  settings(changes?: Partial<IdentityProviderSettings>): IdentityProviderSettings
  close(): Promise<void>
}

export const clientId = 'animal-store'
const clientSecret = 'a secret of the client, which is long enough'

/**
 * It knows the redirect URI only once the dashboard has started: `redirectTo` is asked then. With `pem`, over HTTPS with this
 * certificate.
 */
export async function startProvider(redirectTo: () => string, pem?: Pem): Promise<ProviderInTest> {
  const server = pem ? createSecureServer({ key: pem.key, cert: pem.chain }) : createServer()
  const origin = `http${pem ? 's' : ''}://localhost:${await listenOnFreePort(server)}`
  const people = new Map<string, Person>()
  let handler: ReturnType<Provider['callback']> | undefined
  let provider: Provider | undefined
  const self: ProviderInTest = {
    origin,
    person: undefined,
    isDown: false,
    requests: [],
    settings: (changes) => ({
      issuer: new URL(origin),
      clientId,
      clientSecret,
      name: 'Example ID',
      emailDomains: [],
      createsAccounts: false,
      trustedRoots: pem?.chain,
      ...changes,
    }),
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const open = (): Provider =>
    new Provider(origin, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectTo()],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
      pkce: { required: () => true },
      cookies: { keys: ['of this test'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/login/${uid}` },
      findAccount: (_: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ ...people.get(sub), sub }),
      }),
      async loadExistingGrant({ oidc }: Context) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
  server.on('request', async (request, response) => {
    if (self.isDown) {
      request.socket.destroy()
      return
    }
    provider ??= open()
    handler ??= provider.callback()
    const path = new URL(request.url ?? '/', origin).pathname
    self.requests.push(path)
    if (!path.startsWith('/login/')) {
      await handler(request, response)
      return
    }
    const { person } = self
    if (person) people.set(person.sub, person)
    const result = person
      ? { login: { accountId: person.sub, amr: person.amr, remember: false } }
      : { error: 'access_denied', error_description: 'The user has cancelled.' }
    await provider.interactionFinished(request, response, result)
  })
  return self
}

/** A browser at the dashboard's API and at the provider. */
export function browserOf(accounts: AccountsInTest, address = '192.0.2.9') {
  const visitor = accounts.visitor(address)

  /** Starts a sign-in. Returns the address at the provider. */
  async function start(body: object = {}, path = '/session/provider/start'): Promise<string> {
    const { json, status, text } = await visitor.post(path, body)
    if (status !== 200) throw new Error(`not started: ${text}`)
    return (json as { url: string }).url
  }
  /** Signs in at the provider. Returns the query that it comes back with. */
  const comeBack = async (body?: object, path?: string): Promise<string> =>
    await followRedirects(await start(body, path), accounts.context.dashboardUrl.origin)
  const finish = (query: string) => visitor.post('/session/provider', { query })

  return Object.assign(visitor, {
    ...{ start, comeBack, finish },
    signInByProvider: async (body?: object) => await finish(await comeBack(body)),
    /** Connects an identity to the account of the session. */
    async connect(currentPassword: string) {
      const query = await comeBack({ currentPassword }, '/account/identities/start')
      return await visitor.post('/account/identities', { query })
    },
  })
}

/** What a browser does at the provider, until it is sent back to `home`. Returns the query. */
async function followRedirects(start: string, home: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = new URL(start)
  for (let hops = 0; hops < 10; hops++) {
    const response = await get(url, [...cookies].map((pair) => pair.join('=')).join('; '))
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const { location } = response.headers
    if (location === undefined) throw new Error(`${url.pathname} answers ${response.statusCode}`)
    url = new URL(location, url)
    if (url.origin === home) return url.search.slice(1)
  }
  throw new Error('too many redirects')
}

async function get(url: URL, cookie: string) {
  const headers = cookie === '' ? {} : { cookie }
  const sent =
    url.protocol === 'https:'
      ? httpsRequest(url, { headers, rejectUnauthorized: false }).end()
      : httpRequest(url, { headers }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  return response as import('node:http').IncomingMessage
}
