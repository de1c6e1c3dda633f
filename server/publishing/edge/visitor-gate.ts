// Keeps visitors from sites and previews that not everyone may see: the one place that decides it, for each request.
import type { ServerResponse } from 'node:http'
import type { Awaitable } from '../../platform/database/database.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { createAccessCookies } from './access-cookies.ts'
import type { Restriction } from './find-host.ts'
import { createMembersGate, type MembersGateContext } from './members-gate.ts'
import { createPasswordGate, type PasswordGateContext } from './password-gate.ts'

type VisitorGateContext = Omit<PasswordGateContext & MembersGateContext, 'cookies'> & {
  secrets: Secrets
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
    switch (restriction?.kind) {
      case undefined:
        return undefined
      case 'password':
        return byPassword(request, response, host, restriction)
      case 'members':
        return byMembership(request, response, host, restriction)
    }
  }
}
