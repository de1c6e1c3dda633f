// A hand-written store on Hono with its Node adapter. The ETag is computed with a synchronous hash of the text, because
// Hono's middleware reads the response back and hashes it asynchronously.

import { createHash } from 'node:crypto'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { requestId } from 'hono/request-id'
import { openPeer } from './open-peer.ts'
import { moveOrder, moves, patchPet, placeOrder } from './order-rules.ts'
import {
  createPageLinks,
  hashKey,
  parseId,
  parseListQuery,
  parseNewPet,
  parseObject,
  parseOrderedPetId,
  RuleError,
} from './pet-rules.ts'

const { base, database, port, untilStop } = openPeer()
const app = new Hono()

app.get('/readyz', (c) => c.json({ status: 'ready' }))
app.use(requestId())
app.use(async (c, next) => {
  const match = /^Bearer +(\S+)$/i.exec(c.req.header('Authorization') ?? '')
  if (!match?.[1] || !database.hasKey(hashKey(match[1]))) {
    c.header('WWW-Authenticate', 'Bearer realm="animal-store"')
    throw new RuleError(401, 'invalid_api_key', 'the API key is missing or not valid')
  }
  await next()
})

app.get('/v1/pets', (c) => {
  const query = parseListQuery(unwrapSingle(c.req.queries()))
  const pets = database.listPets(query.after, query.limit, query.status)
  c.header('Link', createPageLinks(base, query, pets))
  return respond(c, pets)
})

app.get('/v1/pets/:petId', (c) => {
  const pet = database.findPet(parseId(c.req.param('petId')))
  if (!pet) throw new RuleError(404, 'pet_not_found', 'no animal has this identifier')
  return respond(c, pet)
})

const limit = bodyLimit({ maxSize: 64 * 1024 })
app.post('/v1/pets', limit, async (c) => {
  const pet = database.insertPet(parseNewPet(await readJson(c)))
  c.header('Location', `${base}/v1/pets/${pet.id}`)
  c.header('Cache-Control', 'private, no-cache')
  return c.json(pet, 201)
})

app.patch('/v1/pets/:petId', limit, async (c) => {
  const patch = parseObject(await readJson(c))
  return respond(c, patchPet(database, parseId(c.req.param('petId')), patch))
})

app.post('/v1/store/orders', limit, async (c) => {
  const order = placeOrder(database, parseOrderedPetId(await readJson(c)))
  c.header('Location', `${base}/v1/store/orders/${order.id}`)
  c.header('Cache-Control', 'private, no-cache')
  return c.json(order, 201)
})

for (const [verb, to] of Object.entries(moves)) {
  app.post(`/v1/store/orders/:orderId/${verb}`, (c) =>
    respond(c, moveOrder(database, parseId(c.req.param('orderId')), to)),
  )
}

app.notFound((c) =>
  c.json({ code: 'route_not_found', message: 'there is nothing at this path', status: 404 }, 404),
)
app.onError((error, c) => {
  if (!(error instanceof RuleError)) {
    return c.json({ code: 'internal_error', message: 'something went wrong', status: 500 }, 500)
  }
  const { status, code, message } = error
  return c.json({ code, message, status }, status)
})

untilStop(serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }))

function respond(c: Context, value: unknown): Response {
  const body = JSON.stringify(value)
  const etag = etagOf(body)
  c.header('ETag', etag)
  c.header('Cache-Control', 'private, no-cache')
  if (c.req.header('If-None-Match') === etag) return c.body(null, 304)
  c.header('Content-Type', 'application/json')
  return c.body(body)
}

function etagOf(body: string): string {
  return `"${createHash('sha1').update(body).digest('base64url')}"`
}

async function readJson(c: Context): Promise<unknown> {
  try {
    return await c.req.json()
  } catch {
    throw new RuleError(400, 'malformed_json', 'the body is not JSON')
  }
}

/** A parameter given once becomes a string; a repeated one stays an array, which is invalid. */
function unwrapSingle(queries: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  )
}
