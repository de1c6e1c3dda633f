// A sign-in at the provider that is under way is in a cookie of its browser, encrypted: nothing is stored for it, and
// no other browser can finish it. The cookie is HttpOnly and SameSite=Lax, and __Host- with https.
import { randomBytes } from 'node:crypto'
import type { AccountContext } from '#accounts/people/account-context.ts'
import { createChallenge, isChallenge } from '#accounts/sign-in/challenges.ts'
import { cookiesNamed } from '#kit/http/request/request-head.ts'
import { SecretError, type Secrets } from '#kit/secrets.ts'
import type { Expected } from './identity-provider.ts'

/** Signing in, perhaps with the token of an invitation. */
export interface SignInFlow extends Expected {
  kind: 'sign_in'
  /** The path to open afterwards. */
  next: string
  invitation?: string
}

/** Connecting an identity to the account of a session. */
interface ConnectFlow extends Expected {
  kind: 'connect'
  accountId: string
}

/** The provider has signed the user in, and the code of the second factor is missing. */
export interface CodeFlow {
  kind: 'code'
  state: string
  accountId: string
  identityId: string
  next: string
}

type Flow = SignInFlow | ConnectFlow | CodeFlow
type FlowKind = Flow['kind']
export type FlowOf<Kind extends FlowKind> = Extract<Flow, { kind: Kind }>

const lifeMs = 10 * 60_000
/** More are not tried. */
const maxCookies = 4
const maxLength = 4096
const context = 'provider flow'

/** Tells the page that the provider returns to what it has to finish. */
const connectMark = 'connect.'

/** `challenge` is what the flow can be finished once with. */
export const challengeOf = (state: string): string =>
  state.startsWith(connectMark) ? state.slice(connectMark.length) : state

const purposeOf = (kind: FlowKind): string => `provider ${kind}`

/** New secrets of a flow. */
export function createExpected(
  secrets: Secrets,
  kind: 'sign_in' | 'connect',
  now: number,
): Expected {
  const mark = kind === 'connect' ? connectMark : ''
  const random = (): string => randomBytes(32).toString('base64url')
  return { state: mark + createState(secrets, kind, now), nonce: random(), verifier: random() }
}

export function createState(secrets: Secrets, kind: FlowKind, now: number): string {
  return createChallenge(secrets, purposeOf(kind), now, lifeMs)
}

export function flowCookie({
  dashboardUrl,
  secrets,
}: Pick<AccountContext, 'dashboardUrl' | 'secrets'>) {
  const isSecure = dashboardUrl.protocol === 'https:'
  const name = `${isSecure ? '__Host-' : ''}animal-store-provider`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  function open(value: string): Flow | undefined {
    if (value.length > maxLength) return undefined
    try {
      return JSON.parse(secrets.decrypt(value, context).toString())
    } catch (error) {
      if (error instanceof SecretError) return undefined
      throw error
    }
  }

  return {
    write: (flow: Flow): string => {
      const value = secrets.encrypt(Buffer.from(JSON.stringify(flow)), context)
      return `${name}=${value}; Max-Age=${lifeMs / 1000}; ${attributes}`
    },
    clear: (): string => `${name}=; Max-Age=0; ${attributes}`,
    /** The flow of this kind in a Cookie header that has not expired; with `state`, the one with this state. */
    read<Kind extends FlowKind>(
      field: string | undefined,
      kind: Kind,
      now: number,
      state?: string | null,
    ): FlowOf<Kind> | undefined {
      return cookiesNamed(field, name)
        .slice(0, maxCookies)
        .map(open)
        .find(
          (flow): flow is FlowOf<Kind> =>
            flow?.kind === kind &&
            (state === undefined || flow.state === state) &&
            isChallenge(secrets, purposeOf(kind), challengeOf(flow.state), now),
        )
    },
  }
}
