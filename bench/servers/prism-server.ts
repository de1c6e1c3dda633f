// Prism's mock server on a description of the three operations, whose examples are our answers.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../http-client.ts'
import { nodeCommand, packageFile } from './peer-command-lines.ts'
import type { CapturedAnswers } from './raw-node-server.ts'
import type { Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'
import { storeDialect } from './store-server.ts'

export async function startPrism(place: ServerPlace, captured: CapturedAnswers): Promise<Server> {
  const { orders: _, ...withoutOrders } = storeDialect(100_000)
  const port = await findFreePort()
  const file = join(place.folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(description(captured)))
  const address = { port, headers: { Authorization: 'Bearer any' } }
  const started = await startServer({
    ...place,
    label: 'Prism mock',
    command: [
      ...nodeCommand(packageFile('@stoplight/prism-cli/dist/index.js')),
      ...[
        'mock',
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--multiprocess=false',
        '--verboseLevel',
        'silent',
        file,
      ],
    ],
    address,
    readyPath: '/v1/pets',
  })
  return {
    label: 'Prism mock',
    engine: '',
    ...address,
    pid: started.pid,
    dialect: {
      ...withoutOrders,
      coldPaths: async (_address, count) =>
        Array.from({ length: count }, (_, n) => `/v1/pets?limit=20&status=available&cursor=${n}`),
    },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}

function description({ list, pet, created }: CapturedAnswers) {
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
  const answer = (schema: object, example: string) => ({
    description: 'an answer of ours',
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
          responses: { 200: answer({ type: 'array', items: petSchema }, list.body) },
        },
        post: {
          requestBody: { required: true, content: { 'application/json': { schema: newPet } } },
          responses: { 201: answer(petSchema, created.body) },
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
          responses: { 200: answer(petSchema, pet.body) },
        },
      },
    },
  }
}
