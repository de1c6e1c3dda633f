// The OpenAPI 3.1 document, made from the schemas that validate.
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { errorCodes } from '../../platform/errors.ts'
import { NewPet, Pet, PetStatus, Pets } from '../animals/schema.ts'

const ApiError = Type.Object(
  {
    code: Type.Enum(Object.keys(errorCodes), { description: 'Machine-readable error code.' }),
    message: Type.String({ description: 'Human-readable description.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status code.' }),
    details: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
        description: 'On a 400: all problems at once, where each is and how to mend it.',
      }),
    ),
  },
  { $id: 'Error', description: 'Every error has this body.' },
)

/** Everything that has a name on the wire. */
export const wireSchemas: TSchema[] = [PetStatus, NewPet, Pet, Pets, ApiError]

const description = `Lists, creates and retrieves the animals a store offers.

Operations carry \`x-stability\` where they are \`beta\` or \`experimental\`; those without it are stable.
Every error has the Error body. Every request may carry \`X-Request-Id\`; every answer has one.`

/** Registers the generator. To be called before the routes. */
export async function describeApi(
  app: FastifyInstance,
  servers: { url: string; description: string }[],
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Animal Store',
        version: '1.0.0',
        description,
        contact: { name: 'The store that runs this service', url: servers[0]?.url as string },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as never,
      },
      servers,
      tags: [{ name: 'animals', description: 'The animals that the store offers.' }],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The API key of the environment: `Authorization: Bearer <API_KEY>`.',
          },
        },
      },
    },
    stripBasePath: true,
    refResolver: { buildLocalReference: (json) => String(json.$id) },
  })
}
