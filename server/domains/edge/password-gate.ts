// Asks visitors for the password of a site or a preview. Who enters it gets a signed cookie of this host alone, which ends
// with the password. The site itself never sees a request without it.
import type { ServerResponse } from 'node:http'
import type { Passwords } from '#accounts/passwords.ts'
import { type Attempt, applicantOf, countAttempt } from '#accounts/sign-in-attempts.ts'
import { readBody } from '#kit/api/read-body.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { ClientAddresses } from '#kit/network/client-addresses.ts'
import { type PasswordProblem, sendPasswordPage } from '#publishing/sites/password-page.ts'
import type { AccessCookies } from './access-cookies.ts'
import type { PasswordRestriction } from './find-host.ts'
import { goTo, isOwnForm, ownAddress } from './own-form.ts'

export interface PasswordGateContext {
  /** Rate counters, shared by all processes. */
  allowances: Database
  clients: Pick<ClientAddresses, 'of'>
  passwords: Passwords
  cookies: AccessCookies
}

const maxFormBytes = 8 * 1024
const claim = 'password'

export function createPasswordGate(context: PasswordGateContext) {
  const { allowances, clients, cookies, passwords } = context

  async function receive(
    request: ApiRequest,
    response: ServerResponse,
    host: string,
    restriction: PasswordRestriction,
  ): Promise<number> {
    const { key, of, passwordHash } = restriction
    const ask = (problem?: PasswordProblem) => sendPasswordPage(request, response, of, problem)
    if (!isOwnForm(request)) return ask()
    const form = new URLSearchParams((await readBody(request, maxFormBytes)).toString())
    const password = form.get('password') ?? ''
    if (password === '') return ask({ kind: 'missing' })
    const address = clients.of(request)
    const target = `${of} ${key}`
    const attempt: Attempt = { target, address, isKnown: false, isForMany: true }
    try {
      const refund = await countAttempt(allowances, attempt)
      const hashing = passwords.hashingOf(applicantOf(attempt))
      const isRight = await hashing.verify(password, passwordHash).catch(async (error) => {
        await refund()
        throw error
      })
      if (!isRight) return ask({ kind: 'wrong' })
      await refund()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
      return ask({ kind: 'limited', headers: error.headers })
    }
    const granted = cookies.grant(request, boundTo(host, restriction), claim)
    return goTo(request, response, ownAddress(request.url as string), [granted])
  }

  /** Undefined if the visitor may see the site; otherwise the request is answered, with this status. */
  return (
    request: ApiRequest,
    response: ServerResponse,
    host: string,
    restriction: PasswordRestriction,
  ): number | Promise<number> | undefined => {
    if (cookies.claimsOf(request, boundTo(host, restriction)).includes(claim)) return undefined
    if (request.method === 'POST') return receive(request, response, host, restriction)
    return sendPasswordPage(request, response, restriction.of)
  }
}

/** Another password, and another preview with this name, ask again. */
function boundTo(host: string, { key, of, passwordHash }: PasswordRestriction) {
  return { host, boundTo: [of, key, passwordHash].join('\n') }
}
