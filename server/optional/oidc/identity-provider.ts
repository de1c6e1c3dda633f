// The OpenID Connect provider by which people sign in: authorization code flow with PKCE, state and nonce (OpenID
// Connect Core 1.0, RFC 9700). The library validates responses and ID tokens. Nothing is requested before somebody
// signs in, and every request is bounded in time and size. The provider is the operator's choice: its address may be
// private.
import type { Agent } from 'node:https'
import type { Configuration, CustomFetchOptions } from 'openid-client'
import { type EmailAddress, parseEmail } from '#accounts/people/email-address.ts'
import type { Clock } from '#kit/clock.ts'
import type { IdentityProviderSettings } from '#kit/config/config.ts'
import { AppError } from '#kit/errors.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { RequestError, sendRequest, trustingAgent } from '#kit/network/http-client.ts'

/** A person as the provider describes them. */
export interface Identity {
  issuer: string
  /** Unique at the issuer, and never given to another person. */
  subject: string
  email: EmailAddress | undefined
  /** Whether the provider has verified the address. Without it, anybody can have entered it there. */
  isEmailVerified: boolean
  name: string | undefined
  /** How the provider has authenticated them, as it says (RFC 8176). */
  amr: unknown
}

/** What a sign-in at the provider has to come back with; secret until then. */
export interface Expected {
  state: string
  nonce: string
  /** Of PKCE. */
  verifier: string
}

export type IdentityProvider = ReturnType<typeof createIdentityProvider>

/** The path at the dashboard that the provider sends browsers back to. */
const callbackPath = '/sign-in/callback'

const timeoutMs = 5000
const maxBytes = 256 * 1024
const metadataLifeMs = 3_600_000
/** After a failure, the provider is not asked for its metadata again for this long. */
const retryAfterMs = 5000
/** OpenID Connect Core 1.0, section 2. */
const maxSubject = 255
const maxName = 100

/** Nothing of the library is loaded before the first use. */
const loadLibrary = () => import('openid-client')
type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Sign-ins at once that the provider is asked about; the others wait, networks with few of them first. */
const shares = {
  maxPermits: 20,
  maxPermitsPerOwner: 4,
  maxWaiting: 200,
  maxWaitingPerOwner: 8,
  maxWaitMs: 5000,
  busyMessage: 'Too many people are signing in. Try again in a few seconds.',
}

export function createIdentityProvider(
  settings: IdentityProviderSettings,
  dashboardUrl: URL,
  clock: Clock,
) {
  const { clientId, clientSecret, issuer, name } = settings
  const redirectUri = dashboardUrl.href.replace(/\/$/, '') + callbackPath
  let agent: Agent | undefined
  let current: Configuration | undefined
  let failure: unknown
  /** When the provider is asked again. */
  let nextAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  /** As `fetch`, for the library. */
  async function send(url: string, options: CustomFetchOptions): Promise<Response> {
    const { body, headers, method, signal } = options
    const target = new URL(url)
    if (settings.trustedRoots !== undefined && target.protocol === 'https:')
      agent ??= trustingAgent(settings.trustedRoots)
    const response = await sendRequest(target, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body && { body: String(body) }),
      timeoutMs,
      maxBytes,
      oversize: 'fail',
      ...(agent && target.protocol === 'https:' && { agent }),
      signal,
    })
    const { body: bytes, headers: received, status } = response
    const headerLines = ['content-type', 'www-authenticate'].flatMap((header) => {
      const value = received[header]
      return typeof value === 'string' ? [[header, value] as [string, string]] : []
    })
    const isEmpty = [204, 205, 304].includes(status)
    return new Response(isEmpty ? null : new Uint8Array(bytes), { status, headers: headerLines })
  }

  async function discover(library: Library): Promise<Configuration> {
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = library
    const configuration = await discovery(issuer, clientId, clientSecret, undefined, {
      [customFetch]: send,
      // Signatures of ID tokens are checked, too. Settings allow plain HTTP on this machine only.
      execute: [
        enableNonRepudiationChecks,
        ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
      ],
      timeout: timeoutMs / 1000,
    })
    // The library makes exceptions for issuers of many tenants.
    const said = configuration.serverMetadata().issuer
    if (URL.parse(said)?.href !== issuer.href) {
      throw new Error(
        `the issuer in OIDC_URL is ${issuer.href}, but the provider calls itself ${said}`,
      )
    }
    return configuration
  }

  /** Cached for an hour; an older one is used while the provider does not answer. Throws `provider_unavailable`. */
  async function getConfiguration(library: Library): Promise<Configuration> {
    if (clock() >= nextAt) {
      pending ??= discover(library)
        .then(
          (configuration) => {
            current = configuration
            nextAt = clock() + metadataLifeMs
          },
          (cause) => {
            failure = unavailable(name, cause)
            nextAt = clock() + retryAfterMs
          },
        )
        .finally(() => {
          pending = undefined
        })
      await pending
    }
    if (current) return current
    throw failure
  }

  return {
    settings,
    turns: createFairSemaphore(shares),
    /** The address at which the browser signs in. Throws `provider_unavailable`. */
    async addressFor({ nonce, state, verifier }: Expected): Promise<string> {
      const library = await loadLibrary()
      const configuration = await getConfiguration(library)
      return library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).href
    },
    /**
     * Redeems the code in the query of the callback. Throws `sign_in_cancelled`, `sign_in_failed`,
     * `provider_unavailable`.
     */
    async redeem(query: string, { nonce, state, verifier }: Expected): Promise<Identity> {
      const library = await loadLibrary()
      const configuration = await getConfiguration(library)
      const callback = new URL(redirectUri)
      callback.search = query
      try {
        const tokens = await library.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) throw signInFailed()
        // Some providers put the address into their UserInfo response only.
        const { userinfo_endpoint: userInfo } = configuration.serverMetadata()
        const info =
          claims.email === undefined && userInfo !== undefined
            ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {}
        return identityOf({ ...info, ...claims })
      } catch (error) {
        throw failureOf(library, name, error)
      }
    },
  }
}

function identityOf(claims: Record<string, unknown>): Identity {
  const { amr, email, email_verified: isVerified, iss, name, sub } = claims
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > maxSubject) {
    throw signInFailed()
  }
  const address = typeof email === 'string' ? parseEmail(email) : undefined
  const shown =
    typeof name === 'string' ? name.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ').trim() : ''
  return {
    issuer: iss,
    subject: sub,
    email: address,
    isEmailVerified: address !== undefined && (isVerified === true || isVerified === 'true'),
    name: [...shown].slice(0, maxName).join('').trim() || undefined,
    amr,
  }
}

const brokenResponses = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
]

/** What went wrong between the callback and the ID token. */
function failureOf(library: Library, name: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof library.AuthorizationResponseError) {
    if (error.error === 'access_denied') {
      return new AppError('sign_in_cancelled', `You were not signed in at ${name}.`)
    }
    const isOutage = ['server_error', 'temporarily_unavailable'].includes(error.error)
    return isOutage ? unavailable(name, error) : signInFailed(error.error)
  }
  if (error instanceof library.ResponseBodyError) {
    return error.error === 'invalid_grant' ? signInFailed(error.error) : unavailable(name, error)
  }
  const { code, message } = error as NodeJS.ErrnoException
  const isUnreachable = findRequestError(error) !== undefined
  if (
    isUnreachable ||
    error instanceof library.WWWAuthenticateChallengeError ||
    brokenResponses.includes(code ?? '')
  ) {
    return unavailable(name, error)
  }
  return signInFailed(message)
}

/** For the log and the client: not the cause itself, which may hold tokens. */
function unavailable(name: string, cause: unknown): AppError {
  const { code = '', error = '', message } = cause as Error & { code?: string; error?: string }
  const reason =
    findRequestError(cause)?.message ?? [error, code, message].filter(Boolean).join(' ')
  return new AppError(
    'provider_unavailable',
    `${name} does not respond as expected. Try again later.`,
    {
      cause: new Error(`identity provider: ${reason.slice(0, 300)}`),
    },
  )
}

function findRequestError(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error
  return error instanceof Error && error.cause ? findRequestError(error.cause) : undefined
}

/** `reason` is a fixed text of the library or a code of OAuth. */
export function signInFailed(reason?: string): AppError {
  const detail =
    reason === undefined ? '' : ` (${reason.replace(/[^\w .,'"-]/g, ' ').slice(0, 100)})`
  return new AppError(
    'sign_in_failed',
    `The sign-in is not valid or has expired${detail}. Start again.`,
  )
}
