// Keeps visitors from sites and previews that not everyone may see: the one place that decides it, for each request.
// Programs show a site token; what is no valid one counts as none.
import type { ServerResponse } from 'node:http'
import type { Clock } from '#kit/clock.ts'
import type { Awaitable, Database } from '#kit/database/database.ts'
import { readBearer } from '#kit/http/request/bearer-token.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { hashSecret, randomToken } from '#kit/secret-text.ts'
import type { Secrets } from '#kit/secrets.ts'
import { findAccessCode, redeemAccessCode } from '#publishing/site-access/access-codes.ts'
import { isSessionOfMember } from '#publishing/site-access/is-session-of-member.ts'
import { isSiteToken } from '#publishing/site-access/is-site-token.ts'
import { accessPath } from '#publishing/site-access/routes.ts'
import { sendMembersPage } from '#publishing/sites/members-page.ts'
import {
  type AccessCookies,
  createAccessCookies,
  readCookies,
  setCookie,
} from './access-cookies.ts'
import type { Restriction } from './find-host.ts'
import { goTo, isOwnForm, ownAddress } from './own-form.ts'
import { createPasswordGate, type PasswordGateContext } from './password-gate.ts'

// Lets members of a project see its site. A visitor without access gets a page that leads to the dashboard, which sends a
// member back with a code. The code, and a cookie that this host has set before, are exchanged for a signed cookie of
// this host. It names the session of the dashboard, never its token, and ends with it, or with the membership.

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
    const taken = isThere ? await redeemAccessCode(database, code, clock()) : undefined
    const visit = visitsOf(request).find(({ token }) => hashSecret(token) === taken?.state)
    if (!taken || !visit || taken.host !== host || taken.projectId !== projectId)
      return sendMembersPage(request, response, dashboardUrl, true)
    const granted = cookies.grant(request, boundTo(host, projectId), taken.sessionId)
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
