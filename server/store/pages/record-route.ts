// The GET of one record, as ready bytes.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Session } from '../../platform/database/database.ts'
import { AppError, type ErrorCode } from '../../platform/errors.ts'
import { readyAnswer, sendReady } from '../../platform/http/ready-answer.ts'
import type { ApiRequest } from '../../platform/http/request-head.ts'
import type { Environment } from '../environment.ts'
import type { Scope } from '../keys/scopes.ts'
import type { Operation } from '../openapi/operation.ts'
import { readRecordId } from '../record-id.ts'

export interface RecordRoute {
  /** Such as `/categories/:categoryId`: its one parameter is the id. */
  url: string
  scope: Scope
  operation: Operation
  params: object
  /** The record's JSON. */
  find(session: Session, id: bigint): Promise<string | undefined>
  missing: { code: ErrorCode; message: string }
}

export function recordRoute(
  app: FastifyInstance,
  { database, metrics, pages, versions }: Environment,
  { find, missing, operation, params, scope, url }: RecordRoute,
): void {
  app.route({
    method: 'GET',
    url,
    config: { scope, operation },
    schema: { params },
    handler: async (request, reply) => {
      const raw = request.raw as ApiRequest
      const { content: version } = await versions()
      const id = readRecordId(idOf(request))
      const body = id === undefined ? undefined : await find(database.read, id)
      if (body === undefined) throw new AppError(missing.code, missing.message)
      const answer = readyAnswer(body, 'application/json', [])
      const until = Number.POSITIVE_INFINITY
      const ready = { answer, operation: operation.operationId, scope, deprecated: false, until }
      pages.keep(raw.url as string, version, ready)
      metrics.countCache('pages', 'miss')
      reply.hijack()
      sendReady(raw, reply.raw, answer)
    },
  })
}

/** The one parameter of a record's path. */
export function idOf(request: FastifyRequest): string {
  return Object.values(request.params as Record<string, string>)[0] ?? ''
}
