// The operations on animals: validate, call, reply.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import { sendOnce } from '../../platform/http/answer.ts'
import { entityTag, readyAnswer, sendReady } from '../../platform/http/ready-answer.ts'
import type { ApiRequest } from '../../platform/http/request-head.ts'
import type { Environment } from '../environment.ts'
import { fingerprint, readIdempotencyKey } from '../idempotency/idempotency.ts'
import { createPets } from './create-pets.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { deprecationHeaders, refuseAfterSunset, sunset } from './deprecation.ts'
import { countPets, type Filter, findPet, listPets, type Page } from './list-pets.ts'
import { operations } from './operations.ts'
import { petJson, petsJson } from './pet-json.ts'
import { ListPetsQuery, NewPet, PetPath } from './schema.ts'

export function animalRoutes(app: FastifyInstance, environment: Environment): void {
  const { baseUrl, clock, database, metrics, name, pages, versions } = environment

  app.route({
    method: 'GET',
    url: '/pets',
    config: { scope: 'pets:read', operation: operations.listPets },
    schema: { querystring: ListPetsQuery },
    handler: async (request, reply) => {
      const query = request.query as ListPetsQuery
      const filter: Filter = { status: query.status, ids: query.id?.map(BigInt) }
      const seal = `${name} ${query.status ?? ''} ${filter.ids?.join() ?? ''}`
      const position = query.cursor === undefined ? undefined : readCursor(query.cursor, seal)
      if (query.cursor !== undefined && !position) {
        throw new AppError(
          'invalid_cursor',
          'cursor has to come from a Link of a page with the same filter. Start again without it.',
          {
            details: [
              { path: 'cursor', message: 'cursor is damaged or belongs to another filter.' },
            ],
          },
        )
      }
      const { content: version } = await versions()
      const page = await listPets(database.read, filter, query.limit, position)
      const headers = ['Link', pageLinks(request, page, seal)]
      const wantsCount = prefersCount(head(request).prefer)
      if (wantsCount) {
        const total = await countPets(database.read, filter)
        headers.push('X-Total-Count', `${total}`, 'Preference-Applied', 'count=exact')
      }
      const answer = readyAnswer(petsJson(page.rows), 'application/json', headers)
      if (!wantsCount) {
        const until = Number.POSITIVE_INFINITY
        pages.keep(request.raw.url as string, version, {
          answer,
          operation: 'listPets',
          scope: 'pets:read',
          deprecated: false,
          until,
        })
        metrics.countCache('pages', 'miss')
      }
      send(request, reply, answer)
    },
  })

  /** RFC 8288. Built from the configured base address, never from what the request says of itself. */
  function pageLinks(request: FastifyRequest, page: Page, seal: string): string {
    // From the first question mark on: a value may have others.
    const [, query = ''] = (request.raw.url as string).match(/\?(.*)/) ?? []
    const given = new URLSearchParams(query)
    const link = (relation: string, cursor: string | undefined): string => {
      const target = new URLSearchParams()
      for (const parameter of ['limit', 'status', 'id']) {
        const value = given.get(parameter)
        if (value !== null) target.set(parameter, value)
      }
      if (cursor !== undefined) target.set('cursor', cursor)
      const text = target.toString().replaceAll('%2C', ',')
      return `<${baseUrl}/pets${text && `?${text}`}>; rel="${relation}"`
    }
    const links = [link('first', undefined)]
    if (page.prev) links.push(link('prev', writeCursor(page.prev, seal)))
    if (page.next) links.push(link('next', writeCursor(page.next, seal)))
    return links.join(', ')
  }

  app.route({
    method: 'POST',
    url: '/pets',
    config: { scope: 'pets:write', operation: operations.createPet },
    schema: { body: NewPet },
    handler: async (request, reply) => {
      const { name: petName, categoryId, status = 'available' } = request.body as NewPet
      const key = readIdempotencyKey(head(request).idempotencyKeys)
      const use =
        key === undefined
          ? undefined
          : {
              scope: request.apiKey?.lineage ?? '',
              key,
              fingerprint: fingerprint('POST', '/pets', request.bodyBytes as Buffer),
              now: clock(),
            }
      const creation = await database.write(createPets, { name: petName, categoryId, status, use })
      if (creation.kind === 'reused') {
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key was used for another request. Take a new one.',
        )
      }
      const { answer } = creation
      const headers = [
        'Location',
        baseUrl + answer.location,
        'ETag',
        `"${entityTag(answer.body)}"`,
        'Cache-Control',
        'no-store',
      ]
      if (creation.kind === 'replay') headers.push('Idempotent-Replayed', 'true')
      reply.hijack()
      sendOnce(request.raw as ApiRequest, reply.raw, answer.status, headers, answer.body)
    },
  })

  app.route<{ Params: { petId: string } }>({
    method: 'GET',
    url: '/pets/:petId',
    config: {
      scope: 'pets:read',
      operation: operations.getPet,
      headers: (request) =>
        deprecationHeaders(baseUrl, (request.params as { petId: string }).petId),
    },
    schema: { params: PetPath },
    handler: async (request, reply) => {
      metrics.countDeprecatedCall(name, 'getPet', request.apiKey?.id ?? '')
      refuseAfterSunset(clock())
      const { content: version } = await versions()
      const id = readPetId(request.params.petId)
      const row = id === undefined ? undefined : await findPet(database.read, id)
      if (!row) throw new AppError('pet_not_found', 'No animal has this id.')
      const body = petJson(...(row as [bigint, string, bigint, string]))
      const answer = readyAnswer(body, 'application/json', [])
      const ready = readyAnswer(
        body,
        'application/json',
        deprecationHeaders(baseUrl, request.params.petId),
      )
      pages.keep(request.raw.url as string, version, {
        answer: ready,
        operation: 'getPet',
        scope: 'pets:read',
        deprecated: true,
        until: sunset,
      })
      metrics.countCache('pages', 'miss')
      send(request, reply, answer)
    },
  })
}

/** RFC 7240: preferences between commas, parameters after semicolons, values with or without quotes. */
function prefersCount(prefer = ''): boolean {
  return prefer.split(',').some((text) => /^\s*count\s*=\s*("?)exact\1\s*(;|$)/i.test(text))
}

function head(request: FastifyRequest): ApiRequest['head'] {
  return (request.raw as ApiRequest).head
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ReturnType<typeof readyAnswer>,
): void {
  reply.hijack()
  sendReady(request.raw as ApiRequest, reply.raw, answer)
}

/** An int64 as it is written canonically; anything else names no animal. */
function readPetId(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const id = BigInt(text)
  return BigInt.asIntN(64, id) === id ? id : undefined
}
