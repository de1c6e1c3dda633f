// Keeps visitors from sites and previews that not everyone may see: the one place that decides it, for each request. The
// site itself never sees a request that is refused.
// A visitor with the password, or a member of the project, gets a signed cookie. It is for one host, scripts of the site
// cannot read it (HttpOnly), and it ends with what it is bound to: the password, or the project. Programs send a site
// token; one that is not valid counts as none.

import type { ServerResponse } from 'node:http'
import type { Passwords } from '#accounts/people/passwords.ts'
import { type Attempt, applicantOf, countAttempt } from '#accounts/sign-in/sign-in-limits.ts'
import { readBody } from '#kit/api/read-body.ts'
import type { Clock } from '#kit/clock.ts'
import type { Awaitable, Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type ApiRequest, cookiesNamed, readBearer } from '#kit/http/request/request-head.ts'
import { hashSecret, randomToken } from '#kit/identifiers.ts'
import { isSecureAtProxy } from '#kit/network/addresses.ts'
import type { ClientAddresses } from '#kit/network/client-addresses.ts'
import type { Secrets } from '#kit/secrets.ts'
import {
  accessPath,
  findAccessCode,
  isSessionOfMember,
  isSiteToken,
  redeemAccessCode,
} from '#publishing/member-access.ts'
import {
  type PasswordProblem,
  sendMembersPage,
  sendPasswordPage,
} from '#publishing/sites/access-page.ts'
import { sendNothing } from '#publishing/sites/response-headers.ts'
import { addressOf, readTarget } from '#renderer/site-files/requested-path.ts'
import type { PasswordRestriction, Restriction } from './find-host.ts'

interface MembersGateContext {
  database: Database
  clock: Clock
  cookies: AccessCookies
  dashboardUrl: URL
}

/** Of the browser that asks for an account: what only it knows, and the page that it asked for. */
const visitCookie = 'visit'
const visitSeconds = 600
const maxAddressLength = 1000
const tokenForm = /^[0-9A-Za-z]{43}$/

/**
 * Lets members of a project see its site. A visitor without access gets a page that leads to the dashboard, which sends a
 * member back with a code. The code, and a cookie that this host has set before, are exchanged for the signed cookie of
 * this host. It names the session of the dashboard, never its token, and ends with it, or with the membership.
 */
function createMembersGate(context: MembersGateContext) {
  const { clock, cookies, dashboardUrl, database } = context

  /** To the dashboard. A second tab goes on with the token of the first one. */
  function begin(request: ApiRequest, response: ServerResponse, host: string): number {
    const [known] = visitsOf(request)
    const token = known?.token ?? randomToken()
    const address = ownAddress(request.url as string)
    const page = Buffer.from(address.length > maxAddressLength ? '/' : address)
    const value = `${token}.${page.toString('base64url')}`
    const query = new URLSearchParams({ host, state: hashSecret(token) })
    const visit = setCookie(request, visitCookie, value, visitSeconds)
    return goTo(request, response, new URL(`site-access?${query}`, dashboardUrl).href, [visit])
  }

  /** Back from the dashboard. */
  async function enter(
    request: ApiRequest,
    response: ServerResponse,
    host: string,
    projectId: string,
  ): Promise<number> {
    const code = new URLSearchParams(queryOf(request)).get('code') ?? ''
    const isThere = tokenForm.test(code) && (await findAccessCode(database.read, code))
    const redeemed = isThere ? await redeemAccessCode(database, code, clock()) : undefined
    const visit = visitsOf(request).find(({ token }) => hashSecret(token) === redeemed?.state)
    if (!redeemed || !visit || redeemed.host !== host || redeemed.projectId !== projectId)
      return sendMembersPage(request, response, dashboardUrl, true)
    const granted = cookies.grant(request, boundTo(host, projectId), redeemed.sessionId)
    const spent = setCookie(request, visitCookie, '', 0)
    return goTo(request, response, ownAddress(visit.page), [granted, spent])
  }

  /** Resolves to undefined if the visitor may see the site; otherwise the request is answered, with this status. */
  return async (
    request: ApiRequest,
    response: ServerResponse,
    host: string,
    { projectId }: { projectId: string },
  ): Promise<number | undefined> => {
    if (request.method === 'GET' && pathOf(request) === accessPath)
      return await enter(request, response, host, projectId)
    const now = clock()
    for (const session of cookies.claimsOf(request, boundTo(host, projectId))) {
      if (await isSessionOfMember(database.read, session, projectId, now)) return undefined
    }
    if (request.method === 'POST' && isOwnForm(request)) return begin(request, response, host)
    return sendMembersPage(request, response, dashboardUrl, false)
  }
}

const boundTo = (host: string, projectId: string) => ({ host, boundTo: `members\n${projectId}` })

const pathOf = ({ url = '' }: ApiRequest): string => url.split(/[?#]/, 1)[0] as string

function queryOf({ url = '' }: ApiRequest): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : (url.slice(start + 1).split('#', 1)[0] as string)
}

function visitsOf(request: ApiRequest): { token: string; page: string }[] {
  return readCookies(request, visitCookie).flatMap((value) => {
    const [token = '', page = ''] = value.split('.')
    if (!tokenForm.test(token)) return []
    return [{ token, page: Buffer.from(page, 'base64url').toString('latin1') }]
  })
}

type VisitorGateContext = Omit<PasswordGateContext & MembersGateContext, 'cookies'> & {
  secrets: Secrets
}

function tokenOf({ head }: ApiRequest): string | undefined {
  const { authorization, authorizations } = head
  return authorization === undefined || authorizations > 1 ? undefined : readBearer(authorization)
}

/** The project whose site is shown; undefined for a preview with a password of its own, for which no token stands. */
function siteOf(restriction: Restriction): string | undefined {
  if (restriction.kind === 'members') return restriction.projectId
  return restriction.of === 'site' ? restriction.key : undefined
}

export type VisitorGate = ReturnType<typeof createVisitorGate>

export function createVisitorGate(context: VisitorGateContext) {
  const cookies = createAccessCookies(context)
  const byPassword = createPasswordGate({ ...context, cookies })
  const byMembership = createMembersGate({ ...context, cookies })

  /** Undefined if the visitor may see what the host shows; otherwise the request is answered, with this status. */
  return (
    request: ApiRequest,
    response: ServerResponse,
    host: string,
    restriction: Restriction | undefined,
  ): Awaitable<number | undefined> => {
    if (!restriction) return undefined
    const ask = () =>
      restriction.kind === 'password'
        ? byPassword(request, response, host, restriction)
        : byMembership(request, response, host, restriction)
    const token = tokenOf(request)
    const project = siteOf(restriction)
    if (token === undefined || project === undefined) return ask()
    const isAllowed = isSiteToken(context.database, token, project, context.clock())
    return isAllowed.then((isValid) => (isValid ? undefined : ask()))
  }
}

export interface PasswordGateContext {
  /** Rate counters, shared by all processes. */
  allowances: Database
  clients: Pick<ClientAddresses, 'of'>
  passwords: Passwords
  cookies: AccessCookies
}

const maxFormBytes = 8 * 1024
const claim = 'password'

function createPasswordGate(context: PasswordGateContext) {
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
    const granted = cookies.grant(request, boundToPassword(host, restriction), claim)
    return goTo(request, response, ownAddress(request.url as string), [granted])
  }

  /** Undefined if the visitor may see the site; otherwise the request is answered, with this status. */
  return (
    request: ApiRequest,
    response: ServerResponse,
    host: string,
    restriction: PasswordRestriction,
  ): number | Promise<number> | undefined => {
    if (cookies.claimsOf(request, boundToPassword(host, restriction)).includes(claim))
      return undefined
    if (request.method === 'POST') return receive(request, response, host, restriction)
    return sendPasswordPage(request, response, restriction.of)
  }
}

/** Another password, and another preview with this name, ask again. */
function boundToPassword(host: string, { key, of, passwordHash }: PasswordRestriction) {
  return { host, boundTo: [of, key, passwordHash].join('\n') }
}

type AccessCookies = ReturnType<typeof createAccessCookies>

interface Bound {
  host: string
  /** Another text is another access. */
  boundTo: string
}

const purpose = 'site access'
const accessMs = 7 * 24 * 3_600_000
/** More of one name are not tried: sibling hosts can set cookies, too. */
const maxCookies = 10

function createAccessCookies({ clock, secrets }: { clock: Clock; secrets: Secrets }) {
  return {
    /** A Set-Cookie header. `claim` has letters, digits and underscores. */
    grant(request: ApiRequest, bound: Bound, claim: string): string {
      const until = String(clock() + accessMs)
      const signature = secrets.sign(signedText(bound, claim, until), purpose)
      return setCookie(request, 'access', `${claim}.${until}.${signature}`, accessMs / 1000)
    },
    /** The claims of the request's cookies that are valid. */
    claimsOf(request: ApiRequest, bound: Bound): string[] {
      return readCookies(request, 'access').flatMap((value) => {
        const [claim = '', until = '', signature = ''] = value.split('.')
        if (!/^\d{1,15}$/.test(until) || Number(until) <= clock()) return []
        return secrets.isSigned(signedText(bound, claim, until), purpose, signature) ? [claim] : []
      })
    },
  }
}

function signedText({ boundTo, host }: Bound, claim: string, until: string): string {
  return [host, boundTo, claim, until].join('\n')
}

function isSecure(request: ApiRequest): boolean {
  return request.isSecure || isSecureAtProxy(request)
}

/** The prefix keeps sibling hosts from setting it (RFC 6265bis). */
function fullName(request: ApiRequest, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name
}

/** A Set-Cookie header. Lax: a link in a message opens the site without asking again. */
function setCookie(
  request: ApiRequest,
  name: string,
  value: string,
  maxAgeSeconds: number,
): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure(request) ? '; Secure' : ''}`
  return `${fullName(request, name)}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`
}

/** The values of the cookies of this name, as many as are tried. */
function readCookies(request: ApiRequest, name: string): string[] {
  return cookiesNamed(request.headers.cookie, fullName(request, name)).slice(0, maxCookies)
}

/** A form of this host's own page, as far as the browser says where it came from. */
function isOwnForm({ head: { origin }, headers }: ApiRequest): boolean {
  const [type] = String(headers['content-type'] ?? '').split(';', 1)
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return false
  return origin === undefined || URL.parse(origin)?.host === headers.host?.toLowerCase()
}

/** The page that was asked for, never at another host. */
function ownAddress(target: string): string {
  const read = readTarget(target)
  return typeof read === 'string' ? '/' : addressOf(read.path) + read.query
}

/** `location` is an own address, or the dashboard. Returns the status. */
function goTo(
  request: ApiRequest,
  response: ServerResponse,
  location: string,
  cookies: string[],
): number {
  return sendNothing(request, response, 303, [
    ...['Location', location],
    ...cookies.flatMap((cookie) => ['Set-Cookie', cookie]),
    ...['Cache-Control', 'no-store', 'Content-Length', '0'],
  ])
}
