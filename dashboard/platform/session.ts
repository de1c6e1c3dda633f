// Who has signed in here, and what happens when the session ends. The cookie is not for scripts to see, so
// this browser notes beside it that there is one: the sign-in page reads that note.
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Account } from '../../server/platform/accounts/schema.ts'
import { ask, Refusal } from './api.ts'

const note = 'animal-store:signed-in'

export const accountQuery = {
  queryKey: ['session'],
  async queryFn(): Promise<Account> {
    const account = await ask<Account>('GET /session')
    hasBegun = true
    return account
  },
  staleTime: 60_000,
}

/** Below the shell there is always somebody. */
export function useAccount(): Account {
  return useSuspenseQuery(accountQuery).data
}

/** Ends the session and shows the sign-in page. Throws a Refusal. */
export async function signOut(): Promise<void> {
  await ask('DELETE /session')
  forget()
  location.assign('/sign-in?after=left')
}

let hasBegun = false
let hasEnded = false
const listeners = new Set<() => void>()

/**
 * To be told whatever the API refuses. Where nobody was in yet, the sign-in page comes first and leads back
 * here. Where somebody was, the page stays, with what was typed in it: see ../shell/sign-in-again.tsx.
 */
export function noticeRefusal(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== 'not_signed_in') return
  if (hasBegun) setEnded(true)
  else leaveForSignIn()
}

/** True while the session that this page began with is over. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => hasEnded)
}

/** Begins a session again. Throws a Refusal. */
export async function signInAgain(email: string, password: string): Promise<Account> {
  const account = await ask<Account>('POST /session', { body: { email, password } })
  remember()
  setEnded(false)
  return account
}

/** The sign-in page, which comes back to this address. */
export function leaveForSignIn(): void {
  forget()
  const next = location.pathname + location.search
  const wanted = new URLSearchParams(next === '/' ? {} : { next })
  if (hasBegun) wanted.set('after', 'ended')
  location.assign(wanted.size === 0 ? '/sign-in' : `/sign-in?${wanted}`)
}

function setEnded(is: boolean): void {
  hasEnded = is
  for (const each of listeners) each()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function forget(): void {
  try {
    localStorage.removeItem(note)
  } catch {
    // Storage may be forbidden; then nothing was noted.
  }
}

function remember(): void {
  try {
    localStorage.setItem(note, 'yes')
  } catch {
    // As above.
  }
}
