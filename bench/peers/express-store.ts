// A hand-written store on Express 5, with Express's strong ETag, query parser and JSON parser.

import { randomUUID } from 'node:crypto'
import express, { type ErrorRequestHandler } from 'express'
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
const app = express()
app.disable('x-powered-by')
app.set('etag', 'strong')

app.get('/readyz', (_request, response) => {
  response.json({ status: 'ready' })
})

app.use((_request, response, next) => {
  response.set('X-Request-Id', randomUUID())
  response.set('Cache-Control', 'private, no-cache')
  next()
})

app.use((request, response, next) => {
  const match = /^Bearer +(\S+)$/i.exec(request.get('Authorization') ?? '')
  if (!match?.[1] || !database.hasKey(hashKey(match[1]))) {
    response.set('WWW-Authenticate', 'Bearer realm="animal-store"')
    throw new RuleError(401, 'invalid_api_key', 'the API key is missing or not valid')
  }
  next()
})

app.get('/v1/pets', (request, response) => {
  const query = parseListQuery(request.query)
  const pets = database.listPets(query.after, query.limit, query.status)
  response.set('Link', createPageLinks(base, query, pets))
  response.json(pets)
})

app.get('/v1/pets/:petId', (request, response) => {
  const pet = database.findPet(parseId(request.params.petId))
  if (!pet) throw new RuleError(404, 'pet_not_found', 'no animal has this identifier')
  response.json(pet)
})

const json = express.json({ limit: '64kb' })
app.post('/v1/pets', json, (request, response) => {
  const pet = database.insertPet(parseNewPet(request.body))
  response.status(201).location(`${base}/v1/pets/${pet.id}`).json(pet)
})

const patchTypes = ['application/merge-patch+json', 'application/json']
const patchJson = express.json({ limit: '64kb', type: patchTypes })
app.patch('/v1/pets/:petId', patchJson, (request, response) => {
  response.json(patchPet(database, parseId(request.params.petId), parseObject(request.body)))
})

app.post('/v1/store/orders', json, (request, response) => {
  const order = placeOrder(database, parseOrderedPetId(request.body))
  response.status(201).location(`${base}/v1/store/orders/${order.id}`).json(order)
})

for (const [verb, to] of Object.entries(moves)) {
  app.post(`/v1/store/orders/:orderId/${verb}`, (request, response) => {
    response.json(moveOrder(database, parseId(request.params.orderId), to))
  })
}

app.use(() => {
  throw new RuleError(404, 'route_not_found', 'there is nothing at this path')
})

const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error.status ?? 500
  const code = error.code ?? (status === 400 ? 'malformed_json' : 'internal_error')
  response.status(status).json({ code, message: error.message, status })
}
app.use(onError)

untilStop(app.listen(port, '127.0.0.1'))
