// Signing in by the identity provider: the browser leaves for it, and comes back to the callback page.
import type { Answer, Body } from '../../client/management-client.ts'
import { call, explain, isCode } from './api.ts'
import { noteSession } from './session.ts'

/** The page that the provider sends the browser back to. */
export const callbackPath = '/sign-in/callback'

/** As the server marks the state of a flow that connects an identity. */
const connectMark = 'connect.'

const maxNext = 500

/** The name of the identity provider, if there is one, and whether the first account exists. */
export async function findProvider(): Promise<{ name?: string; isSetUp: boolean }> {
  const found = await call('GET /session/provider').catch(() => undefined)
  return { ...(found?.name && { name: found.name }), isSetUp: found?.isSetUp ?? true }
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

/** Whether a callback connects an identity to the account that is signed in. */
export const isConnecting = (query: string): boolean =>
  new URLSearchParams(query).get('state')?.startsWith(connectMark) ?? false

/** Starts the session. Returns the path to open. Throws a ManagementError. */
export async function finishSignIn(query: string): Promise<string> {
  return signedIn(await call('POST /session/provider', { body: { query } }))
}

/** The same after `second_factor_required`. */
export async function finishByCode(code: string): Promise<string> {
  return signedIn(await call('POST /session/provider/code', { body: { code } }))
}

function signedIn({ next }: Answer<'POST /session/provider'>): string {
  noteSession()
  return next
}

/** Connects the identity. Throws a ManagementError. */
export async function finishConnecting(query: string): Promise<void> {
  await call('POST /account/identities', { body: { query } })
}

/** For a button that leaves for the provider. */
export function explainProvider(error: unknown, name: string): string {
  if (isCode(error, 'provider_unavailable'))
    return `${name} does not respond. Try again in a moment.`
  return explain(error)
}
