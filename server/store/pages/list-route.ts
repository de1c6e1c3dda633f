// The GET of a list, whatever it lists: cursor, page, links, exact count, ready bytes.
import type { FastifyInstance } from 'fastify'
import type { Session } from '../../platform/database/database.ts'
import type { Value } from '../../platform/database/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { readyAnswer, sendReady } from '../../platform/http/response/ready-response.ts'
import type { Environment } from '../environment.ts'
import type { Scope } from '../keys/scopes.ts'
import type { Operation } from '../openapi/operation.ts'
import { queryReader } from '../validation.ts'
import { type Position, readCursor, writeCursor } from './cursor.ts'
import type { Page } from './keyset.ts'
import { queryOf } from './page-makers.ts'
import type { ReadyPage } from './ready-page.ts'
import type { ListQuery } from './schema.ts'

export interface List<Query extends ListQuery> {
  /** Such as `/pets`. */
  path: string
  scope: Scope
  operation: Operation
  querystring: object
  /** The parameters that filter, in the order in which links have them. */
  filters: (keyof Query & string)[]
  read(session: Session, query: Query, position: Position | undefined): Promise<Page>
  count(session: Session, query: Query): Promise<bigint>
  toJson(rows: Value[][]): string
}

export function listRoute<Query extends ListQuery>(
  app: FastifyInstance,
  environment: Environment,
  list: List<Query>,
): void {
  const { baseUrl, database, makers, name } = environment
  const { filters, operation, path, querystring, scope } = list
  const readQuery = queryReader<Query>(querystring)

  async function make(target: string, wantsCount = false): Promise<ReadyPage> {
    const given = queryOf(target)
    const query = readQuery(given)
    const seal = sealOf(query)
    const position = readPosition(query.cursor, seal)
    const page = await list.read(database.read, query, position)
    const fields = ['Link', pageLinks(given, page, seal)]
    if (wantsCount) {
      const total = await list.count(database.read, query)
      fields.push('X-Total-Count', `${total}`, 'Preference-Applied', 'count=exact')
    }
    return {
      answer: readyAnswer(list.toJson(page.rows), 'application/json', fields),
      operation: operation.operationId,
      scope,
      deprecated: false,
      until: Number.POSITIVE_INFINITY,
    }
  }

  makers.add(path, { scope, make })
  app.route({
    method: 'GET',
    url: path,
    config: { scope, operation },
    schema: { querystring },
    handler: async (request, reply) => {
      const raw = request.raw as ApiRequest
      const page = await make(raw.url as string, prefersExactCount(raw.head.prefer))
      reply.hijack()
      sendReady(raw, reply.raw, page.answer)
    },
  })

  /** What a cursor is bound to: equal for equal filters alone. */
  function sealOf(query: Query): string {
    let seal = `${name} ${path}`
    for (const filter of filters) seal += ` ${query[filter] ?? ''}`
    return seal
  }

  /** RFC 8288. Built from the configured base address, never from what the request says of itself. */
  function pageLinks(given: string, page: Page, seal: string): string {
    const kept = keptParameters(given)
    const first = `${baseUrl}${path}${kept && `?${kept}`}`
    const link = (position: Position): string =>
      `${baseUrl}${path}?${kept}${kept && '&'}cursor=${writeCursor(position, seal)}`
    let links = `<${first}>; rel="first"`
    if (page.prev) links += `, <${link(page.prev)}>; rel="prev"`
    if (page.next) links += `, <${link(page.next)}>; rel="next"`
    return links
  }

  /** The parameters that were given and that links carry on. Their values have been checked. */
  function keptParameters(given: string): string {
    if (given === '') return ''
    const values = new URLSearchParams(given)
    let kept = ''
    for (const parameter of ['limit', ...filters]) {
      const value = values.get(parameter)
      if (value !== null) kept += `${kept && '&'}${parameter}=${value}`
    }
    return kept
  }
}

/** RFC 7240: preferences between commas, parameters after semicolons, values with or without quotes. */
function prefersExactCount(prefer = ''): boolean {
  return prefer.split(',').some((text) => /^\s*count\s*=\s*("?)exact\1\s*(;|$)/i.test(text))
}

function readPosition(cursor: string | undefined, seal: string): Position | undefined {
  if (cursor === undefined) return undefined
  const position = readCursor(cursor, seal)
  if (position) return position
  throw new AppError(
    'invalid_cursor',
    'cursor has to come from a Link of a page with the same filter. Start again without it.',
    {
      details: [{ path: 'cursor', message: 'cursor is damaged or belongs to another filter.' }],
    },
  )
}
