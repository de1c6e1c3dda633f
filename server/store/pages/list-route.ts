// The GET of a list, whatever it lists: cursor, page, links, exact count, ready bytes.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Session } from '../../platform/database/database.ts'
import type { Value } from '../../platform/database/query.ts'
import { AppError } from '../../platform/errors.ts'
import { readyAnswer, sendReady } from '../../platform/http/ready-answer.ts'
import type { ApiRequest } from '../../platform/http/request-head.ts'
import type { Environment } from '../environment.ts'
import type { Scope } from '../keys/scopes.ts'
import type { Operation } from '../openapi/operation.ts'
import { type Position, readCursor, writeCursor } from './cursor.ts'
import type { Page } from './keyset.ts'
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
  const { baseUrl, database, metrics, name, pages, versions } = environment
  const { filters, operation, path, querystring, scope } = list

  app.route({
    method: 'GET',
    url: path,
    config: { scope, operation },
    schema: { querystring },
    handler: async (request, reply) => {
      const raw = request.raw as ApiRequest
      const url = raw.url as string
      const query = request.query as Query
      const seal = [name, path, ...filters.map((filter) => query[filter] ?? '')].join(' ')
      const position = readPosition(query.cursor, seal)
      const { content: version } = await versions()
      const page = await list.read(database.read, query, position)
      const headers = ['Link', pageLinks(request, page, seal)]
      const wantsCount = /(?:^|[,\s])count=exact(?:$|[,;\s])/i.test(raw.head.prefer ?? '')
      if (wantsCount) {
        const total = await list.count(database.read, query)
        headers.push('X-Total-Count', `${total}`, 'Preference-Applied', 'count=exact')
      }
      const answer = readyAnswer(list.toJson(page.rows), 'application/json', headers)
      if (!wantsCount) {
        const { operationId } = operation
        const until = Number.POSITIVE_INFINITY
        const ready = { answer, operation: operationId, scope, deprecated: false, until }
        pages.keep(url, version, ready)
        metrics.countCache('pages', 'miss')
      }
      reply.hijack()
      sendReady(raw, reply.raw, answer)
    },
  })

  /** RFC 8288. Built from the configured base address, never from what the request says of itself. */
  function pageLinks(request: FastifyRequest, page: Page, seal: string): string {
    // From the first question mark on: a value may have others.
    const [, query = ''] = (request.raw.url as string).match(/\?(.*)/) ?? []
    const given = new URLSearchParams(query)
    const link = (relation: string, position: Position | undefined): string => {
      const target = new URLSearchParams()
      for (const parameter of ['limit', ...filters]) {
        const value = given.get(parameter)
        if (value !== null) target.set(parameter, value)
      }
      if (position) target.set('cursor', writeCursor(position, seal))
      const text = target.toString().replaceAll('%2C', ',')
      return `<${baseUrl}${path}${text && `?${text}`}>; rel="${relation}"`
    }
    const links = [link('first', undefined)]
    if (page.prev) links.push(link('prev', page.prev))
    if (page.next) links.push(link('next', page.next))
    return links.join(', ')
  }
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
