// Who has signed in here. The cookie is not for scripts to see, so this browser notes beside it that there
// is one: the sign-in page reads that note.
import { useSuspenseQuery } from '@tanstack/react-query'
import type { Account } from '../../server/platform/accounts/schema.ts'
import { ask } from './api.ts'

const note = 'animal-store:signed-in'

export const accountQuery = {
  queryKey: ['session'],
  queryFn: () => ask<Account>('GET /session'),
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
  location.assign('/sign-in')
}

/** To be called where nobody is signed in any more; comes back to this address. */
export function leaveForSignIn(): void {
  forget()
  const next = location.pathname + location.search
  location.assign(next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`)
}

function forget(): void {
  try {
    localStorage.removeItem(note)
  } catch {
    // Storage may be forbidden; then nothing was noted.
  }
}
