// Starts Prism's mock server with an OpenAPI description of three operations. Its examples are responses of the
// Animal Store.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort } from '../harness/http-client.ts'
import type { RecordedResponses } from './raw-node-server.ts'
import type { Server } from './server.ts'
import { describeServer, packageCommand, startServer } from './start-server.ts'
import { createFixedStoreApi } from './store-server.ts'

export async function startPrism(place: ServerPlace, recorded: RecordedResponses): Promise<Server> {
  const { ordersPath: _, ...api } = createFixedStoreApi()
  const port = await findFreePort()
  const file = join(place.folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(createDescription(recorded)))
  const label = 'Prism mock'
  const headers = { Authorization: 'Bearer any' }
  const started = await startServer({
    ...place,
    label,
    command: [
      ...packageCommand('@stoplight/prism-cli/dist/index.js'),
      ...['mock', '--host', '127.0.0.1', '--port', String(port)],
      ...['--multiprocess=false', '--verboseLevel', 'silent', file],
    ],
    address: { port, headers },
    readyPath: '/v1/pets',
  })
  return await describeServer(started, { label, port, headers, api })
}

function createDescription({ list, pet, created }: RecordedResponses) {
  const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
  const newPet = {
    type: 'object',
    required: ['name', 'categoryId'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 255 },
      categoryId: { type: 'integer', format: 'int64' },
      status,
    },
  }
  const petSchema = {
    ...newPet,
    required: ['id', 'name', 'categoryId'],
    properties: { id: { type: 'integer', format: 'int64' }, ...newPet.properties },
  }
  const query = (name: string, schema: object) => ({ name, in: 'query', schema })
  const response = (schema: object, example: string) => ({
    description: 'a recorded response',
    content: { 'application/json': { schema, example: JSON.parse(example) } },
  })
  return {
    openapi: '3.1.0',
    info: { title: 'Animal Store', version: '1.0.0' },
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/v1/pets': {
        get: {
          parameters: [
            query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
            query('status', status),
            query('cursor', { type: 'string' }),
          ],
          responses: { 200: response({ type: 'array', items: petSchema }, list.body) },
        },
        post: {
          requestBody: { required: true, content: { 'application/json': { schema: newPet } } },
          responses: { 201: response(petSchema, created.body) },
        },
      },
      '/v1/pets/{petId}': {
        get: {
          parameters: [
            {
              name: 'petId',
              in: 'path',
              required: true,
              schema: { type: 'integer', format: 'int64' },
            },
          ],
          responses: { 200: response(petSchema, pet.body) },
        },
      },
    },
  }
}
