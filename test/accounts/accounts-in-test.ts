// The management API with only the accounts, on a fresh database and a free port, with a controlled clock, cheap and
// counted hashes, and a captured log.
import { argon2Sync } from 'node:crypto'
import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import { accountRoutes } from '#accounts/open-accounts.ts'
import type { AccountContext } from '#accounts/people/account-context.ts'
import { prepareAccounts } from '#accounts/people/accounts.ts'
import { createPasswords, type PasswordOptions } from '#accounts/people/passwords.ts'
import type { Account } from '#accounts/people/schema.ts'
import { createAccountAuthenticator } from '#accounts/sessions/authenticator.ts'
import type { IdentityProviderSettings } from '#kit/config/config.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { listen } from '#kit/http/listener/intake.ts'
import { createMailSender, readSmtpUrl } from '#kit/mail/send-mail.ts'
import { createManagementApp } from '#kit/management/app.ts'
import { bindRoutes, routesOf } from '#kit/management/route.ts'
import { createMetrics } from '#kit/metrics.ts'
import { addressList } from '#kit/network/addresses.ts'
import { createClientAddresses } from '#kit/network/client-addresses.ts'
import { openSecrets } from '#kit/secrets.ts'
import { bindProviderRoutes } from '#optional/oidc/open.ts'
import type { Engine } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { type Answer, type AskOptions, ask } from '../running-store.ts'

export const password = 'a cup of cold coffee'
export const day = 24 * 60 * 60_000
export const minute = 60_000

type Verb = 'post' | 'put' | 'patch' | 'delete'

/** A browser with its own address and its cookies. `post`, `put`, `patch` and `delete` send JSON with that method. */
export interface Visitor extends Record<Verb, (path: string, body?: unknown) => Promise<Answer>> {
  address: string
  /** The Cookie header. */
  cookie: string | undefined
  /** `token`: an access token instead of the cookie. */
  ask(path: string, options?: AskOptions & { token?: string }): Promise<Answer>
  signIn(email: string, given?: string): Promise<Answer>
  isSignedIn(): Promise<boolean>
  changePassword(newPassword: string, currentPassword?: string): Promise<Answer>
  /** The token of a new invitation, by default for max@example.com. */
  invite(body?: object): Promise<string>
  acceptInvitation(token: string, more?: object): Promise<Answer>
  /** Creates the first operator by a set-up link. */
  setUp(token: string, more?: object): Promise<Answer>
  /** The token of a new link for the password of an account. */
  passwordLink(id: string): Promise<string>
  /** Sets the password by such a link. */
  resetPassword(token: string, newPassword: string, more?: object): Promise<Answer>
  /** A new access token. */
  accessToken(label?: string): Promise<string>
}

export type AccountsInTest = Awaited<ReturnType<typeof startAccounts>>

export interface AccountsOptions {
  /** Whose sessions need a second factor. Default: off. */
  secondFactor?: AccountContext['secondFactor']
  dashboardUrl?: string
  /** Of a mail server. Default: none. */
  smtpUrl?: string
  /** The identity provider. Default: none. */
  provider?: IdentityProviderSettings
  /** Of the queue for hashing. */
  limits?: PasswordOptions['limits']
}

/** Everything is stopped and removed when the test has finished. */
export async function startAccounts(
  engine: Engine,
  {
    dashboardUrl: configured,
    limits,
    provider,
    secondFactor = 'off',
    smtpUrl = '',
  }: AccountsOptions = {},
) {
  const place = await placeForTest(engine)
  const database = openDatabase(place, 'publishing', { onError: () => {} })
  const metrics = createMetrics()
  const listener = await listen(0, '127.0.0.1', metrics)
  const dashboardUrl = new URL(configured ?? `http://localhost:${listener.port}`)
  /** Milliseconds since the epoch; assign to move the clock. */
  const clock = { now: Date.UTC(2027, 0, 1) }
  const allowances = openDatabase(place, 'limits', {
    durability: 'off',
    onError: () => {},
    clock: () => clock.now,
  })
  /** Ids of accounts that own projects. */
  const owners = new Set<string>()
  const smtp = readSmtpUrl(smtpUrl)
  const hashed: string[] = []
  let paused: Promise<void> | undefined
  const context: AccountContext = {
    database,
    allowances,
    dashboardUrl,
    secondFactor,
    clock: () => clock.now,
    passwords: createPasswords({
      cost: { memoryKib: 64, passes: 1, lanes: 1 },
      ...(limits && { limits }),
      async derive(parameters) {
        hashed.push(String(parameters.message))
        await paused
        return argon2Sync('argon2id', parameters)
      },
    }),
    secrets: openSecrets({ dataDir: place.dataDir, secretKeys: [] }),
    sendMail: smtp && createMailSender({ ...smtp, from: 'store@animals.example' }),
    ownsProjects: async (_, accountId) => owners.has(accountId),
    nameProjects: async () => new Map(),
  }
  const lines: string[] = []
  const pinoLog = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const management = createManagementApp({
    routes: [
      ...bindRoutes([...accountRoutes, probe], context),
      ...bindProviderRoutes(provider, context),
    ],
    dashboardUrl,
    authenticate: createAccountAuthenticator(context),
    clients: createClientAddresses(addressList(['127.0.0.1']), pinoLog),
    metrics,
    log: pinoLog,
  })
  listener.serve((_, path) => (path.startsWith('/api') ? management.handle : undefined))
  onTestFinished(async () => {
    await listener.stop()
    await Promise.all([database.close(), allowances.close()])
  })

  /** A request with only these headers. */
  const bare = (path: string, options: AskOptions) =>
    ask(listener.port, new URL('/api', dashboardUrl), '', path, { key: null, ...options })

  function visitor(address = '192.0.2.1'): Visitor {
    const cookies = new Map<string, string>()
    const keepCookie = (pair = ''): void => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)/.exec(pair) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const sends = (method: string) => (path: string, body?: unknown) =>
      self.ask(path, { method, body })
    const linkFrom = async (path: string, body?: object): Promise<string> => {
      const { json, text } = await self.post(path, body)
      const { link } = json as { link?: string }
      if (link === undefined) throw new Error(`no link: ${text}`)
      return tokenOf(link)
    }
    const self: Visitor = {
      address,
      get cookie() {
        return [...cookies].map((pair) => pair.join('=')).join('; ') || undefined
      },
      set cookie(pairs) {
        cookies.clear()
        for (const pair of pairs?.split('; ') ?? []) keepCookie(pair)
      },
      async ask(path, { headers, token, ...options } = {}) {
        const { cookie } = self
        const sent = {
          origin: dashboardUrl.origin,
          'x-forwarded-for': self.address,
          'user-agent': 'Test/1',
          ...(token === undefined
            ? cookie !== undefined && { cookie }
            : { authorization: `Bearer ${token}` }),
          ...headers,
        }
        const response = await bare(path, { headers: sent, ...options })
        for (const line of response.headers['set-cookie']?.split(/, (?=[\w-]+=)/) ?? [])
          keepCookie(line.split(';')[0])
        return response
      },
      ...{ post: sends('POST'), put: sends('PUT'), patch: sends('PATCH') },
      delete: sends('DELETE'),
      signIn: (email, given = password) => self.post('/session', { email, password: given }),
      isSignedIn: async () => (await self.ask('/session')).status === 200,
      changePassword: (newPassword, currentPassword = password) =>
        self.put('/account/password', { currentPassword, newPassword }),
      invite: (body) => linkFrom('/invitations', { email: 'max@example.com', ...body }),
      acceptInvitation: (token, more) => {
        const body = { token, email: 'max@example.com', name: 'Max', password, ...more }
        return self.post('/invitations/accept', body)
      },
      setUp: (token, more) =>
        self.post('/set-up', { token, email: 'olga@example.com', name: 'Olga', password, ...more }),
      passwordLink: (id) => linkFrom(`/accounts/${id}/password-link`),
      resetPassword: (token, newPassword, more) =>
        self.post('/password', { token, password: newPassword, ...more }),
      async accessToken(label = 'ci') {
        const { json } = await self.post('/account/tokens', { label })
        return (json as { token: string }).token
      },
    }
    return self
  }

  const setUpToken = (await prepareAccounts(database, clock.now)) ?? ''
  return {
    place,
    database,
    context,
    clock,
    setUpToken,
    owners,
    /** Another connection to the same database, as another node has. The caller closes it. */
    openAnother: () => openDatabase(place, 'publishing', { onError: () => {} }),
    /** Passwords in the order in which their hashes began. */
    hashed,
    hashes: () => hashed.length,
    /** Hashes that begin after this wait until the returned function is called. */
    pause() {
      const { promise, resolve } = Promise.withResolvers<void>()
      paused = promise
      return resolve
    },
    log: () => lines.join(''),
    visitor,
    bare,
    /** Creates and signs in the first operator. */
    async operator() {
      const self = visitor()
      const { json, status, text } = await self.setUp(setUpToken)
      if (status !== 201) throw new Error(`set-up failed: ${text}`)
      return Object.assign(self, { account: json as Account })
    },
    /** A member whom the operator has invited, signed in. */
    async member(operator: Visitor, email: string) {
      const self = visitor('192.0.2.2')
      const token = await operator.invite({ email })
      const { json, status, text } = await self.acceptInvitation(token, { email })
      if (status !== 201) throw new Error(`the invitation failed: ${text}`)
      return Object.assign(self, { account: json as Account })
    },
  }
}

/** The same with the first operator, signed in. */
export async function startWithOperator(engine: Engine, options?: AccountsOptions) {
  const accounts = await startAccounts(engine, options)
  return { accounts, operator: await accounts.operator() }
}

/** The same with a member, max@example.com. */
export async function startWithMember(engine: Engine, options?: AccountsOptions) {
  const { accounts, operator } = await startWithOperator(engine, options)
  return { accounts, operator, member: await accounts.member(operator, 'max@example.com') }
}

/** The code of an error response. */
export const codeIn = ({ json }: { json: unknown }) => (json as { code?: string }).code

/** Expects an error response with this code. */
export const expectCode = async (response: Promise<Answer>, code: string): Promise<void> =>
  expect(codeIn(await response)).toBe(code)

/** The part of a link after the #. */
export function tokenOf(link: string): string {
  return new URL(link).hash.slice(1)
}

/** An operation that accepts access tokens. */
const probe = routesOf({ tag: 'account', access: 'account' })('GET /probe', 'probe', {
  summary: 'Tests access tokens',
  scope: 'projects:read',
  handle: async () => {},
})
