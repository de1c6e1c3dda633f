// Asks visitors of a preview for its password. Who enters it gets a signed cookie of this host alone, which ends with
// the password. The site itself never sees a request without it, and its scripts cannot read it (HttpOnly).
import type { ServerResponse } from 'node:http'
import type { Passwords } from '../../platform/accounts/passwords.ts'
import {
  type Attempt,
  applicantOf,
  countAttempt,
} from '../../platform/accounts/sign-in-attempts.ts'
import { readBody } from '../../platform/api/read-body.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { isSecureAtProxy } from '../../platform/network/addresses.ts'
import type { ClientAddresses } from '../../platform/network/client-addresses.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { addressOf, readTarget } from '../site-files/requested-path.ts'
import { type PasswordProblem, sendPasswordPage } from '../sites/password-page.ts'
import { sendNothing } from '../sites/response-headers.ts'
import type { FoundHost } from './find-host.ts'

export interface PreviewGateContext {
  /** Rate counters, shared by all processes. */
  allowances: Database
  clients: Pick<ClientAddresses, 'of'>
  clock: Clock
  passwords: Passwords
  secrets: Secrets
}

export type PreviewGate = ReturnType<typeof createPreviewGate>

/** A host and its preview, which has a password. */
interface Protected {
  host: string
  key: string
  passwordHash: string
}

const purpose = 'preview access'
const accessMs = 7 * 24 * 3_600_000
const maxFormBytes = 8 * 1024
/** More of one name are not tried: sibling hosts can set cookies, too. */
const maxCookies = 10

export function createPreviewGate(context: PreviewGateContext) {
  const { allowances, clients, clock, passwords, secrets } = context

  function hasAccess(request: ApiRequest, found: Protected): boolean {
    return readCookies(request).some((value) => {
      const [until = '', signature = ''] = value.split('.')
      if (!/^\d{1,15}$/.test(until) || Number(until) <= clock()) return false
      return secrets.isSigned(signedText(found, until), purpose, signature)
    })
  }

  async function receive(
    request: ApiRequest,
    response: ServerResponse,
    found: Protected,
  ): Promise<number> {
    const ask = (problem?: PasswordProblem) => sendPasswordPage(request, response, problem)
    if (!isOwnForm(request)) return ask()
    const form = new URLSearchParams((await readBody(request, maxFormBytes)).toString())
    const password = form.get('password') ?? ''
    if (password === '') return ask({ kind: 'missing' })
    const address = clients.of(request)
    const attempt: Attempt = { target: `preview ${found.key}`, address, isKnown: false }
    try {
      const refund = await countAttempt(allowances, attempt)
      const hashing = passwords.hashingOf(applicantOf(attempt))
      const isRight = await hashing.verify(password, found.passwordHash).catch(async (error) => {
        await refund()
        throw error
      })
      if (!isRight) return ask({ kind: 'wrong' })
      await refund()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
      return ask({ kind: 'limited', headers: error.headers })
    }
    const until = String(clock() + accessMs)
    const value = `${until}.${secrets.sign(signedText(found, until), purpose)}`
    return sendNothing(request, response, 303, [
      ...['Location', ownAddress(request.url as string)],
      ...[
        'Set-Cookie',
        `${cookieName(request)}=${value}; Max-Age=${accessMs / 1000}; ${attributes(request)}`,
      ],
      ...['Cache-Control', 'no-store', 'Content-Length', '0'],
    ])
  }

  return {
    /** Undefined if the visitor may see the preview; otherwise the request is answered, with this status. */
    answer(
      request: ApiRequest,
      response: ServerResponse,
      { host, preview }: FoundHost,
    ): number | Promise<number> | undefined {
      if (!preview || preview.passwordHash === null) return undefined
      const { label, passwordHash, projectId } = preview
      const found = { host, key: `${projectId} ${label}`, passwordHash }
      if (hasAccess(request, found)) return undefined
      if (request.method === 'POST') return receive(request, response, found)
      return sendPasswordPage(request, response)
    },
  }
}

/** Another password, another host or another preview with this name has another text. */
function signedText({ host, key, passwordHash }: Protected, until: string): string {
  return [host, key, passwordHash, until].join('\n')
}

/** A form of this host's own page, as far as the browser says where it came from. */
function isOwnForm({ head: { origin }, headers }: ApiRequest): boolean {
  const [type] = String(headers['content-type'] ?? '').split(';', 1)
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return false
  return origin === undefined || URL.parse(origin)?.host === headers.host?.toLowerCase()
}

/** Back to the page that was asked for, never to another host. */
function ownAddress(target: string): string {
  const read = readTarget(target)
  return typeof read === 'string' ? '/' : addressOf(read.path) + read.query
}

function isSecure(request: ApiRequest): boolean {
  return request.isSecure || isSecureAtProxy(request)
}

/** The prefix keeps sibling hosts from setting it (RFC 6265bis). */
function cookieName(request: ApiRequest): string {
  return isSecure(request) ? '__Host-preview' : 'preview'
}

/** Lax: a link in a message opens the preview without asking again. */
function attributes(request: ApiRequest): string {
  return `Path=/; HttpOnly; SameSite=Lax${isSecure(request) ? '; Secure' : ''}`
}

function readCookies(request: ApiRequest): string[] {
  const prefix = `${cookieName(request)}=`
  const pairs = String(request.headers.cookie ?? '').split(';')
  const own = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(prefix))
  return own.slice(0, maxCookies).map((pair) => pair.slice(prefix.length))
}
