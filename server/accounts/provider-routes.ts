// Routes for signing in by the identity provider, and for the identities of the current account.
import { originOf } from '#kit/audit/record-audit.ts'
import { AppError } from '#kit/errors.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { type Route, route } from '#kit/management/route.ts'
import { unknownAddress } from '#kit/network/client-addresses.ts'
import { networkOf } from '#kit/network/network-of.ts'
import type { AccountContext } from './account-context.ts'
import { findAccount, hasOperator, noPassword } from './accounts.ts'
import { wasTaken } from './challenges.ts'
import {
  type ConnectedIdentity,
  connectIdentity,
  listIdentities,
  removeIdentity,
} from './identities.ts'
import {
  type Expected,
  type Identity,
  type IdentityProvider,
  signInFailed,
} from './identity-provider.ts'
import { requireOwnPassword, setFirstPassword } from './own-account.ts'
import { challengeOf, createExpected, createState, flowCookie } from './provider-flow.ts'
import { identityOperations, providerSignInOperations } from './provider-operations.ts'
import type { Identity as WireIdentity } from './provider-schema.ts'
import { confirmProviderSignIn, requireAllowed, signInByProvider } from './provider-sign-in.ts'
import { sessionCookie } from './session-cookie.ts'
import { type SignedIn, visitorOf } from './sign-in.ts'
import { countAttempt } from './sign-in-attempts.ts'
import { wireAccount, wireTime } from './wire.ts'

/** Sign-ins at once that the provider is asked about; the others wait, networks with few of them first. */
const shares = {
  maxPermits: 20,
  maxPermitsPerOwner: 4,
  maxWaiting: 200,
  maxWaitingPerOwner: 8,
  maxWaitMs: 5000,
  busyMessage: 'Too many people are signing in. Try again in a few seconds.',
}

export function providerRoutes(context: AccountContext): Route[] {
  const { allowances, clock, dashboardUrl, database, secrets } = context
  const session = sessionCookie(dashboardUrl)
  const flows = flowCookie(dashboardUrl, secrets)
  const turns = createFairSemaphore(shares)

  function getProvider(): IdentityProvider {
    if (context.provider) return context.provider
    throw new AppError('provider_not_found', 'This installation has no identity provider.')
  }

  /** Asks the provider who has signed in. Failures count as attempts of the client's network. */
  async function redeem(
    provider: IdentityProvider,
    query: string,
    expected: Expected,
    address: string,
  ): Promise<Identity> {
    if (await wasTaken(database.read, challengeOf(expected.state))) throw signInFailed()
    const owner = address === unknownAddress ? expected.state : networkOf(address)
    const attempt = { target: `provider from ${owner}`, address, isKnown: false }
    const refund = await countAttempt(allowances, attempt)
    const identity = await turns.use(owner, () => provider.redeem(query, expected))
    requireAllowed(provider, identity)
    await refund()
    return identity
  }

  function admit({ account, token }: SignedIn, next: string, headers: string[]) {
    headers.push('Set-Cookie', session.write(token), 'Set-Cookie', flows.clear())
    return { account: wireAccount(account), next }
  }

  return [
    route(providerSignInOperations.getProvider, async () => ({
      name: context.provider?.settings.name ?? null,
      isSetUp: await hasOperator(database.read),
    })),

    route(providerSignInOperations.startProviderSignIn, async ({ body, headers }) => {
      const provider = getProvider()
      const { invitation, next = '/' } = body
      const expected = createExpected(secrets, 'sign_in', clock())
      const url = await provider.addressFor(expected)
      const flow = {
        ...expected,
        kind: 'sign_in',
        next,
        ...(invitation && { invitation }),
      } as const
      headers.push('Set-Cookie', flows.write(flow))
      return { url }
    }),

    route(providerSignInOperations.signInByProvider, async (call) => {
      const { address, body, headers, request } = call
      const provider = getProvider()
      const state = new URLSearchParams(body.query).get('state')
      const flow = flows.read(request.headers.cookie, 'sign_in', clock(), state)
      if (!flow) throw signInFailed()
      const identity = await redeem(provider, body.query, flow, address)
      const outcome = await signInByProvider(context, provider, flow, identity, visitorOf(call))
      if ('token' in outcome) return admit(outcome, flow.next, headers)
      const { next } = flow
      const waiting = createState(secrets, 'code', clock())
      throw new AppError(
        'second_factor_required',
        'Enter a code of your authenticator app, or a recovery code.',
        {
          headers: {
            'Set-Cookie': flows.write({ ...outcome, kind: 'code', state: waiting, next }),
          },
        },
      )
    }),

    route(providerSignInOperations.confirmProviderSignIn, async (call) => {
      const flow = flows.read(call.request.headers.cookie, 'code', clock())
      if (!flow) throw signInFailed()
      const signedIn = await confirmProviderSignIn(context, flow, call.body.code, visitorOf(call))
      return admit(signedIn, flow.next, call.headers)
    }),

    route(identityOperations.listIdentities, async ({ caller }) => {
      const account = await findAccount(database.read, caller.account.id)
      const items = await listIdentities(database.read, caller.account.id)
      return {
        items: items.map(wireIdentity),
        provider: context.provider?.settings.name ?? null,
        hasPassword: account?.passwordHash !== noPassword,
      }
    }),

    route(identityOperations.startIdentity, async ({ address, body, caller, headers }) => {
      const provider = getProvider()
      await requireOwnPassword(context, caller, body.currentPassword, address)
      const expected = createExpected(secrets, 'connect', clock())
      const url = await provider.addressFor(expected)
      const flow = { ...expected, kind: 'connect', accountId: caller.account.id } as const
      headers.push('Set-Cookie', flows.write(flow))
      return { url }
    }),

    route(identityOperations.connectIdentity, async (call) => {
      const { address, body, caller, headers, request } = call
      const provider = getProvider()
      const state = new URLSearchParams(body.query).get('state')
      const flow = flows.read(request.headers.cookie, 'connect', clock(), state)
      // Of this account: another one may have signed in in the meantime.
      if (flow?.accountId !== caller.account.id) throw signInFailed()
      const identity = await redeem(provider, body.query, flow, address)
      const { id } = caller.account
      const challenge = challengeOf(flow.state)
      const origin = originOf(call, clock())
      const connected = await connectIdentity(database, id, identity, challenge, origin)
      if (connected instanceof AppError) throw connected
      headers.push('Set-Cookie', flows.clear())
      return wireIdentity(connected)
    }),

    route(identityOperations.removeIdentity, async (call) => {
      const origin = originOf(call, clock())
      const { caller, params } = call
      const isUsable = ({ issuer }: ConnectedIdentity): boolean =>
        URL.parse(issuer)?.href === context.provider?.settings.issuer.href
      const { id } = caller.account
      const refusal = await removeIdentity(database, id, params.identityId, isUsable, origin)
      if (refusal) throw refusal
      return undefined
    }),

    route(identityOperations.setFirstPassword, async ({ address, body, caller }) => {
      await setFirstPassword(context, caller, body.newPassword, address)
      return undefined
    }),
  ]
}

function wireIdentity({
  createdAt,
  email,
  id,
  issuer,
  lastUsedAt,
}: ConnectedIdentity): WireIdentity {
  return {
    id,
    issuer,
    email: email ?? null,
    createdAt: wireTime(createdAt),
    lastUsedAt: lastUsedAt === undefined ? null : wireTime(lastUsedAt),
  }
}
