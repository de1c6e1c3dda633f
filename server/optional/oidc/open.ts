// The operations of signing in by the identity provider, and on the identities of the current account.
import { type Static, Type } from 'typebox'
import { requireOwnPassword, setFirstPassword } from '#accounts/operations/own-account.ts'
import type { AccountContext } from '#accounts/people/account-context.ts'
import { findAccount, hasOperator, noPassword } from '#accounts/people/accounts.ts'
import {
  Account,
  CodeConfirmation,
  NewAccount,
  Reauthentication,
  time,
  wireAccount,
} from '#accounts/people/schema.ts'
import { sessionCookie } from '#accounts/sessions/sessions.ts'
import { wasTaken } from '#accounts/sign-in/challenges.ts'
import { type SignedIn, visitorOf } from '#accounts/sign-in/sign-in.ts'
import { countAttempt } from '#accounts/sign-in/sign-in-limits.ts'
import type { Caller } from '#kit/caller.ts'
import type { IdentityProviderSettings } from '#kit/config/config.ts'
import { AppError } from '#kit/errors.ts'
import { bindRoutes, type Route, routesOf } from '#kit/management/route.ts'
import { networkOf } from '#kit/network/addresses.ts'
import { unknownAddress } from '#kit/network/client-addresses.ts'
import { listOf, nullable, text, toWire } from '#kit/schema/described-schema.ts'
import {
  type ConnectedIdentity,
  connectIdentity,
  listIdentities,
  removeIdentity,
} from './identities.ts'
import {
  createIdentityProvider,
  type Expected,
  type IdentityProvider,
  signInFailed,
} from './identity-provider.ts'
import {
  challengeOf,
  createExpected,
  createState,
  type FlowOf,
  flowCookie,
} from './provider-flow.ts'
import { confirmProviderSignIn, requireAllowed, signInByProvider } from './provider-sign-in.ts'

const providerName = Type.String({ description: 'As on the button Sign in with …' })

const Provider = Type.Object(
  {
    name: nullable(providerName, 'Null when no identity provider is configured.'),
    isSetUp: Type.Boolean({ description: 'Whether the first account, an operator, exists.' }),
  },
  { $id: 'Provider', description: 'How to sign in at this installation.' },
)

/** A path of the dashboard in printable ASCII: not `//host`, and no backslash, which browsers read as a slash. */
const path = Type.String({
  maxLength: 500,
  pattern: '^/([!-.0-\\[\\]-~][!-\\[\\]-~]*)?$',
  'x-pattern-message': 'must be a path of the dashboard, such as /projects',
  description: 'Path of the dashboard to open afterwards. Default: /.',
})

const ProviderStart = Type.Object(
  {
    next: Type.Optional(path),
    invitation: Type.Optional({
      ...NewAccount.properties.token,
      description: 'The token of an invitation: it creates the account of an unknown identity.',
    }),
  },
  { $id: 'ProviderStart' },
)

const ProviderAddress = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'Open it in the browser, within ten minutes.' }),
  },
  { $id: 'ProviderAddress', description: 'Where to sign in at the identity provider.' },
)

const ProviderResponse = Type.Object(
  {
    query: text(8192, 'The query of the address to which the provider has sent the browser.', 1),
  },
  { $id: 'ProviderResponse' },
)

const ProviderSignIn = Type.Object(
  { account: Account, next: Type.String({ description: 'Path of the dashboard to open.' }) },
  { $id: 'ProviderSignIn' },
)

const WireIdentity = Type.Object(
  {
    id: Type.String(),
    issuer: Type.String({ description: 'The identity provider.' }),
    email: nullable(Type.String(), 'As the provider gave it; null if it gave none.'),
    createdAt: time('Time of connecting.'),
    lastUsedAt: nullable(time('Time of the last sign-in.'), 'Null before the first one.'),
  },
  { $id: 'Identity', description: 'An identity at a provider that can sign in to the account.' },
)

const Identities = Type.Object(
  {
    ...listOf(WireIdentity, 'Identities', '').properties,
    provider: Provider.properties.name,
    hasPassword: Type.Boolean({
      description:
        'Whether the account has a password. Accounts created by the provider have none.',
    }),
  },
  { $id: 'Identities', description: 'Newest first.' },
)

const FirstPassword = Type.Object(
  { newPassword: NewAccount.properties.password },
  { $id: 'FirstPassword' },
)

interface ProviderContext extends AccountContext {
  /** Undefined: nobody signs in by a provider. */
  provider: IdentityProvider | undefined
}

/** Of operations that take what the provider has sent the browser back with. */
const errorsOfReturns = [
  ...(['provider_not_found', 'provider_unavailable', 'sign_in_failed'] as const),
  ...(['sign_in_cancelled', 'identity_not_allowed', 'rate_limited'] as const),
]

const route = routesOf<ProviderContext, 'open'>({ tag: 'session', access: 'open' })
const forAccounts = routesOf<ProviderContext>({ tag: 'account', access: 'account' })

export const providerRoutes = [
  route('GET /session/provider', 'getProvider', {
    summary: 'Get the identity provider',
    returns: Provider,
    handle: async (_, { database, provider }) => ({
      name: provider?.settings.name ?? null,
      isSetUp: await hasOperator(database.read),
    }),
  }),
  route('POST /session/provider/start', 'startProviderSignIn', {
    summary: 'Start signing in by the identity provider',
    description: 'Sets a cookie that only this browser can finish the sign-in with.',
    body: ProviderStart,
    returns: ProviderAddress,
    errors: ['provider_not_found', 'provider_unavailable'],
    async handle({ body, headers }, context) {
      const { invitation, next = '/' } = body
      return await startFlow(context, headers, {
        kind: 'sign_in',
        next,
        ...(invitation && { invitation }),
      })
    },
  }),
  route('POST /session/provider', 'signInByProvider', {
    summary: 'Sign in by the identity provider',
    description:
      'Takes the query that the provider has sent the browser back with. An account with a second factor requires a code, unless the provider has checked two factors: send it to POST /session/provider/code.',
    body: ProviderResponse,
    status: 201,
    returns: ProviderSignIn,
    errors: [
      ...errorsOfReturns,
      ...(['identity_not_connected', 'second_factor_required', 'link_not_valid'] as const),
    ],
    async handle(call, context) {
      const { clock, secrets } = context
      const { flow, identity, provider } = await redeemFlow(context, 'sign_in', call)
      const { next } = flow
      const outcome = await signInByProvider(context, provider, flow, identity, visitorOf(call))
      if ('token' in outcome) return admit(context, outcome, next, call.headers)
      const waiting = createState(secrets, 'code', clock())
      const code = { ...outcome, kind: 'code', state: waiting, next } as const
      const message = 'Enter a code of your authenticator app, or a recovery code.'
      throw new AppError('second_factor_required', message, {
        headers: { 'Set-Cookie': flowCookie(context).write(code) },
      })
    },
  }),
  route('POST /session/provider/code', 'confirmProviderSignIn', {
    summary: 'Sign in by the identity provider with a code',
    description: 'After second_factor_required, within ten minutes.',
    body: CodeConfirmation,
    status: 201,
    returns: ProviderSignIn,
    errors: ['sign_in_failed', 'invalid_code', 'rate_limited'],
    async handle(call, context) {
      const { clock } = context
      const flow = flowCookie(context).read(call.request.headers.cookie, 'code', clock())
      if (!flow) throw signInFailed()
      const signedIn = await confirmProviderSignIn(context, flow, call.body.code, visitorOf(call))
      return admit(context, signedIn, flow.next, call.headers)
    },
  }),
  forAccounts('GET /account/identities', 'listIdentities', {
    isForEnrolment: true,
    summary: 'List identities of the current account',
    returns: Identities,
    async handle({ caller }, context) {
      const { database, provider } = context
      const account = await findAccount(database.read, caller.account.id)
      const items = await listIdentities(database.read, caller.account.id)
      return {
        items: items.map(wireIdentity),
        provider: provider?.settings.name ?? null,
        hasPassword: account?.passwordHash !== noPassword,
      }
    },
  }),
  forAccounts('POST /account/identities/start', 'startIdentity', {
    summary: 'Start connecting an identity at the provider',
    body: Reauthentication,
    returns: ProviderAddress,
    errors: ['provider_not_found', 'provider_unavailable', 'invalid_credentials', 'rate_limited'],
    async handle(call, context) {
      getProvider(context)
      await requireOwnPassword(context, call)
      const accountId = call.caller.account.id
      return await startFlow(context, call.headers, { kind: 'connect', accountId })
    },
  }),
  forAccounts('POST /account/identities', 'connectIdentity', {
    summary: 'Connect an identity at the provider',
    description: 'Takes the query that the provider has sent the browser back with.',
    body: ProviderResponse,
    status: 201,
    returns: WireIdentity,
    errors: [...errorsOfReturns, 'identity_taken', 'limit_reached'],
    async handle(call, context) {
      const { flow, identity } = await redeemFlow(context, 'connect', call)
      const { id } = call.caller.account
      const challenge = challengeOf(flow.state)
      const { database } = context
      const connected = await connectIdentity(database, id, identity, challenge, call.origin)
      call.headers.push('Set-Cookie', flowCookie(context).clear())
      return wireIdentity(connected)
    },
  }),
  forAccounts('DELETE /account/identities/{identityId}', 'removeIdentity', {
    summary: 'Remove an identity',
    errors: ['identity_not_found', 'conflict'],
    async handle({ caller, origin, params }, { database, provider }) {
      const isUsable = ({ issuer }: ConnectedIdentity): boolean =>
        URL.parse(issuer)?.href === provider?.settings.issuer.href
      const { id } = caller.account
      await removeIdentity(database, id, params.identityId, isUsable, origin)
    },
  }),
  forAccounts('POST /account/password', 'setFirstPassword', {
    isForEnrolment: true,
    summary: 'Set the password of an account that has none',
    description: 'Within ten minutes of signing in. Ends all other sessions of the account.',
    body: FirstPassword,
    errors: ['conflict', 'sign_in_too_old', 'rate_limited'],
    async handle(call, context) {
      await setFirstPassword(context, call, call.body.newPassword)
    },
  }),
] as const

/** The routes for the management API, in a process with these accounts. */
export function bindProviderRoutes(
  settings: IdentityProviderSettings | undefined,
  context: AccountContext,
): Route[] {
  const { clock, dashboardUrl } = context
  const provider = settings && createIdentityProvider(settings, dashboardUrl, clock)
  return bindRoutes(providerRoutes, { ...context, provider })
}

function getProvider({ provider }: ProviderContext): IdentityProvider {
  if (provider) return provider
  throw new AppError('provider_not_found', 'This installation has no identity provider.')
}

/** Sends the browser to the provider, with a cookie that only it can finish the flow with. */
async function startFlow(
  context: ProviderContext,
  headers: string[],
  begun: Omit<FlowOf<'sign_in'>, keyof Expected> | Omit<FlowOf<'connect'>, keyof Expected>,
): Promise<{ url: string }> {
  const { clock, secrets } = context
  const provider = getProvider(context)
  const expected = createExpected(secrets, begun.kind, clock())
  const url = await provider.addressFor(expected)
  headers.push('Set-Cookie', flowCookie(context).write({ ...expected, ...begun }))
  return { url }
}

type Either = 'sign_in' | 'connect'

interface Returned {
  address: string
  body: Static<typeof ProviderResponse>
  caller: Caller | undefined
  request: { headers: { cookie?: string | undefined } }
}

/**
 * The flow of this kind that the browser has come back with, and who has signed in at the provider. Failures count as
 * attempts of the client's network.
 */
async function redeemFlow<Kind extends Either>(
  context: ProviderContext,
  kind: Kind,
  { address, body: { query }, caller, request }: Returned,
) {
  const { allowances, clock, database } = context
  const provider = getProvider(context)
  const state = new URLSearchParams(query).get('state')
  const flow = flowCookie(context).read<Either>(request.headers.cookie, kind, clock(), state)
  // Of this account: another one may have signed in in the meantime.
  const isOfOther = flow?.kind === 'connect' && flow.accountId !== caller?.account.id
  if (!flow || isOfOther || (await wasTaken(database.read, challengeOf(flow.state)))) {
    throw signInFailed()
  }
  const owner = address === unknownAddress ? flow.state : networkOf(address)
  const attempt = { target: `provider from ${owner}`, address, isKnown: false }
  const refund = await countAttempt(allowances, attempt)
  const identity = await provider.turns.use(owner, () => provider.redeem(query, flow))
  requireAllowed(provider, identity)
  await refund()
  return { flow: flow as FlowOf<Kind>, identity, provider }
}

function admit(
  context: AccountContext,
  { account, token }: SignedIn,
  next: string,
  headers: string[],
) {
  const cookie = sessionCookie(context.dashboardUrl).write(token)
  headers.push('Set-Cookie', cookie, 'Set-Cookie', flowCookie(context).clear())
  return { account: wireAccount(account), next }
}

const wireIdentity = (identity: ConnectedIdentity): Static<typeof WireIdentity> =>
  toWire(WireIdentity, identity)
