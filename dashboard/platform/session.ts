// The current account, the ways to sign in (password, passkey, identity provider), and the end of its session. Scripts
// cannot read the session cookie, so local storage notes that there is one; without the note, the session is not
// requested.
import { type Answer, type Body, ManagementError } from '../../client/management-client.ts'
import { call, isCode } from './api.ts'
import { createShared } from './shared-value.ts'

export type Account = Answer<'GET /account'>

const note = 'animal-store:signed-in'
/** What was opened last, by names: see shell/palette.tsx. */
export const recentItemsKey = 'animal-store:recent'

/** The account that is signed in; undefined without one. Throws a ManagementError if that is unknown. */
export async function findAccount(): Promise<Account | undefined> {
  if (tryStorage((storage) => storage.getItem(note)) === null) return undefined
  try {
    return await call('GET /session')
  } catch (error) {
    if (!(error instanceof ManagementError) || error.status !== 401) throw error
    forgetSession()
    return undefined
  }
}

/** Starts a session, or a new one after it ended. Throws a ManagementError. */
export async function signIn(email: string, password: string, code: string): Promise<Account> {
  const body = { email, password, ...(code && { code }) }
  return begun(await call('POST /session', { body }))
}

/** The same with a passkey that the user chooses. */
export async function signInByPasskey(): Promise<Account> {
  const options = await call('POST /session/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const chosen = navigator.credentials.get({ publicKey })
  const credential = await jsonOf<Body<'POST /session/passkey'>['credential']>(chosen)
  return begun(await call('POST /session/passkey', { body: { credential } }))
}

function begun(account: Account): Account {
  noteSession()
  sessionEnded.set(false)
  return account
}

/** Ends the session and opens the sign-in page. Throws a ManagementError. */
export async function signOut(): Promise<void> {
  await call('DELETE /session')
  forgetSession()
  tryStorage((storage) => storage.removeItem(recentItemsKey))
  location.assign('/sign-in?after=left')
}

let hasSession = false
const sessionEnded = createShared(false)
const factorMissing = createShared(false)

/** Whether the session of this page has ended. */
export const useSessionEnded = sessionEnded.useValue
/** Whether the operator requires a second factor that this session has not proven. */
export const useFactorMissing = factorMissing.useValue

/**
 * Handles every error of the API. If the session ended, the page stays, and the shell asks to sign in again. If
 * there was no session, the sign-in page opens and returns here.
 */
export function handleError(error: unknown): void {
  if (isCode(error, 'second_factor_missing')) factorMissing.set(true)
  if (!isCode(error, 'not_signed_in')) return
  if (hasSession) sessionEnded.set(true)
  else leaveForSignIn()
}

/** Opens the sign-in page, which returns to this address. */
export function leaveForSignIn(): void {
  forgetSession()
  const next = location.pathname + location.search
  const query = new URLSearchParams(next === '/' ? {} : { next })
  if (hasSession) query.set('after', 'ended')
  location.assign(query.size === 0 ? '/sign-in' : `/sign-in?${query}`)
}

/** There is a session. If storage is forbidden, the session is requested each time. */
export function noteSession(): void {
  hasSession = true
  tryStorage((storage) => storage.setItem(note, 'yes'))
}

const forgetSession = (): void => tryStorage((storage) => storage.removeItem(note))

/** Undefined if storage is forbidden. */
export function tryStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}

/** Whether this browser has passkeys (WebAuthn Level 3): over HTTPS and on localhost. */
export const hasPasskeys = (): boolean =>
  isSecureContext && typeof PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'

/** Creates a passkey on a device that the user chooses. */
export async function createPasskey(
  options: Answer<'POST /account/passkeys/options'>,
): Promise<Body<'POST /account/passkeys'>['credential']> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return await jsonOf(navigator.credentials.create({ publicKey }))
}

/** Throws a ManagementError with a sentence for what the browser refuses. */
async function jsonOf<Json>(asked: Promise<Credential | null>): Promise<Json> {
  const credential = await asked.catch((cause: unknown) => {
    throw refusalOf(cause)
  })
  if (!(credential instanceof PublicKeyCredential)) throw refusalOf(undefined)
  return credential.toJSON() as Json
}

function refusalOf(cause: unknown): ManagementError {
  const isKnown = cause instanceof DOMException && cause.name === 'InvalidStateError'
  const message = isKnown
    ? 'This device already has a passkey of your account.'
    : 'No passkey was used. Try again, and confirm on your device.'
  return new ManagementError({ code: 'passkey_refused', message, status: 0, cause })
}

/** The page that the provider sends the browser back to. */
export const callbackPath = '/sign-in/callback'

const maxNext = 500

/** The name of the identity provider, if there is one, and whether the first account exists. */
export async function findProvider(): Promise<{ name?: string; isSetUp: boolean }> {
  const provider = await call('GET /session/provider').catch(() => undefined)
  return { ...(provider?.name && { name: provider.name }), isSetUp: provider?.isSetUp ?? true }
}

/** Opens the provider. `next` is the path to open afterwards. Throws a ManagementError; otherwise it never resolves. */
export async function leaveForProvider({
  invitation,
  next = '/',
}: Body<'POST /session/provider/start'>): Promise<never> {
  const body = { ...(next.length <= maxNext && { next }), ...(invitation && { invitation }) }
  const { url } = await call('POST /session/provider/start', { body })
  return await openProvider(url)
}

/** Never resolves, so that nothing is sent again before the page is left. */
export function openProvider(url: string): Promise<never> {
  location.assign(url)
  return new Promise(() => {})
}
