// The OpenAPI document at /openapi.json and /openapi.yaml: for everybody, no key needed.
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import {
  type ReadyAnswer,
  readyAnswer,
  sendReady,
} from '../../platform/http/response/ready-response.ts'

/** `document` is asked once, when all routes are there. */
export function openApiRoutes(app: FastifyInstance, document: () => object): void {
  const forms = [
    {
      url: '/openapi.json',
      produces: 'application/json',
      write: (found: object) => JSON.stringify(found),
    },
    { url: '/openapi.yaml', produces: 'application/yaml', write: writeYaml },
  ]
  for (const { url, produces, write } of forms) {
    let answer: ReadyAnswer | undefined
    app.get(url, { config: { produces } }, async (request, reply) => {
      answer ??= readyAnswer(write(document()), produces, [])
      reply.hijack()
      sendReady(request.raw as ApiRequest, reply.raw, answer)
    })
  }
}

/** The document as it is committed. */
export function writeYaml(document: object): string {
  return stringify(document, {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    lineWidth: 100,
  })
}
