// Keeps visitors from sites and previews that not everyone may see: the one place that decides it, for each request.
// Programs show a site token; what is no valid one counts as none.
import type { ServerResponse } from 'node:http'
import type { Awaitable } from '#kit/database/database.ts'
import { readBearer } from '#kit/http/request/bearer-token.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { Secrets } from '#kit/secrets.ts'
import { isSiteToken } from '#publishing/site-access/is-site-token.ts'
import { createAccessCookies } from './access-cookies.ts'
import type { Restriction } from './find-host.ts'
import { createMembersGate, type MembersGateContext } from './members-gate.ts'
import { createPasswordGate, type PasswordGateContext } from './password-gate.ts'

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
