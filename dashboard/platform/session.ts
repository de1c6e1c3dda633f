// The current account, and the end of its session. Scripts cannot read the session cookie, so local storage notes
// that there is one. Without the note, the session is not requested.
import { useSyncExternalStore } from 'react'
import { type Answer, ManagementError } from '../../client/management-client.ts'
import { call, isCode } from './api.ts'
import { choosePasskey } from './passkeys.ts'

export type Account = Answer<'GET /account'>

const note = 'animal-store:signed-in'
/** What was opened last, by names: see shell/recent-items.ts. */
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
  const account = await call('POST /session', { body })
  noteSession()
  setEnded(false)
  return account
}

/** The same with a passkey that the user chooses. */
export async function signInByPasskey(): Promise<Account> {
  const options = await call('POST /session/passkey/options')
  const credential = await choosePasskey(options)
  const account = await call('POST /session/passkey', { body: { credential } })
  noteSession()
  setEnded(false)
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
let hasEnded = false
let isFactorMissing = false
const listeners = new Set<() => void>()

/**
 * Handles every error of the API. If the session ended, the page stays, and the shell asks to sign in again. If
 * there was no session, the sign-in page opens and returns here.
 */
export function handleError(error: unknown): void {
  if (isCode(error, 'second_factor_missing') && !isFactorMissing) {
    isFactorMissing = true
    notify()
  }
  if (!isCode(error, 'not_signed_in')) return
  if (hasSession) setEnded(true)
  else leaveForSignIn()
}

/** Whether the session of this page has ended. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => hasEnded)
}

/** Whether the operator requires a second factor that this session has not proven. */
export function useFactorMissing(): boolean {
  return useSyncExternalStore(subscribe, () => isFactorMissing)
}

/** Opens the sign-in page, which returns to this address. */
export function leaveForSignIn(): void {
  forgetSession()
  const next = location.pathname + location.search
  const query = new URLSearchParams(next === '/' ? {} : { next })
  if (hasSession) query.set('after', 'ended')
  location.assign(query.size === 0 ? '/sign-in' : `/sign-in?${query}`)
}

function setEnded(is: boolean): void {
  hasEnded = is
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
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
