// The GET of one record, as ready bytes.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Session } from '../../platform/database/database.ts'
import type { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { readyAnswer, sendReady } from '../../platform/http/response/ready-response.ts'
import { readRecordId } from '../database/record-id.ts'
import type { Environment } from '../environment.ts'
import type { Scope } from '../keys/scopes.ts'
import type { Operation } from '../openapi/operation.ts'
import { lastSegmentOf } from './page-makers.ts'
import type { ReadyPage } from './ready-page.ts'

export interface RecordRoute {
  /** Such as `/categories/:categoryId`: its one parameter is the id. */
  url: string
  scope: Scope
  operation: Operation
  params: object
  /** The record's JSON. */
  find(session: Session, id: bigint): Promise<string | undefined>
  missing: () => AppError
  /** Names and values in turn that every answer carries, a refusal too. */
  headers?: (id: string) => string[]
  /** Called for each answer. Throws where the operation is over. */
  begin?: (keyId: string) => void
  /** Milliseconds since the epoch from which on the operation is over. */
  until?: number
}

export function recordRoute(
  app: FastifyInstance,
  { database, makers }: Environment,
  route: RecordRoute,
): void {
  const { begin, find, headers, missing, operation, params, scope, url } = route

  async function make(target: string): Promise<ReadyPage> {
    const text = lastSegmentOf(target)
    const id = readRecordId(text)
    const body = id === undefined ? undefined : await find(database.read, id)
    if (body === undefined) throw missing()
    return {
      answer: readyAnswer(body, 'application/json', headers?.(text) ?? []),
      operation: operation.operationId,
      scope,
      deprecated: operation.deprecated === true,
      until: route.until ?? Number.POSITIVE_INFINITY,
    }
  }

  makers.add(url, { scope, make })
  app.route({
    method: 'GET',
    url,
    config: { scope, operation, ...(headers ? { refusalHeaders: (r) => headers(idOf(r)) } : {}) },
    schema: { params },
    handler: async (request, reply) => {
      begin?.(request.apiKey?.id ?? '')
      const raw = request.raw as ApiRequest
      const page = await make(raw.url as string)
      reply.hijack()
      sendReady(raw, reply.raw, page.answer)
    },
  })
}

/** The one parameter of a record's path. */
export function idOf(request: FastifyRequest): string {
  return Object.values(request.params as Record<string, string>)[0] ?? ''
}
