// The OpenAPI 3.1 document, made from the routes and the schemas that validate them.
import { type TSchema, Type } from 'typebox'
import { errorCodes } from '../../platform/errors.ts'
import { NewPet, Pet, PetPatch, PetStatus, Pets } from '../animals/schema.ts'
import { Categories, Category, NewCategory } from '../categories/schema.ts'
import { mediaTypesOf, type RawBody } from '../media-types.ts'
import { NewOrder, Order, OrderStatus, Orders } from '../orders/schema.ts'
import { ImportResult } from '../transfer/schema.ts'
import { answerHeaders } from './answer-headers.ts'
import { answersOf, codesOf, sharedAnswers } from './answers.ts'
import { errorExample } from './error-examples.ts'
import type { Operation } from './operation.ts'
import { type RequestHeader, requestHeaders } from './request-headers.ts'

const ApiError = Type.Object(
  {
    code: Type.Enum(Object.keys(errorCodes), {
      type: 'string',
      description: 'Machine-readable error code.',
    }),
    message: Type.String({ description: 'Human-readable description.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status code.' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'The field or parameter; empty for the whole.' }),
          message: Type.String({ description: 'What is wrong with it, and what it has to be.' }),
        }),
        { description: 'On a 400: all problems at once.' },
      ),
    ),
  },
  { $id: 'Error', description: 'Every error has this body.' },
)

/** Everything that has a name on the wire. */
export const wireSchemas: TSchema[] = [
  PetStatus,
  NewPet,
  PetPatch,
  Pet,
  Pets,
  NewCategory,
  Category,
  Categories,
  OrderStatus,
  NewOrder,
  Order,
  Orders,
  ImportResult,
  ApiError,
]

/** A route that the document describes. `url` is relative to the base address, as in `/pets/:petId`. */
export interface DescribedRoute {
  method: string
  url: string
  operation: Operation
  params?: unknown
  querystring?: unknown
  body?: unknown
  /** Instead of `body`. */
  rawBody?: RawBody | undefined
}

const description = `Lists, creates and retrieves the animals a store offers.

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. The two environments have keys
and animals of their own.

Every error has the Error body; \`code\` is for programs, \`message\` for people. Unknown query
parameters and unknown fields of a body are ignored. Every address also answers HEAD, where it answers
GET, and OPTIONS.

Operations that may still change carry \`x-stability\`: \`beta\` (its form may change, with notice) or
\`experimental\` (it may change or go at any time); those without it are stable. An operation that is
deprecated carries \`x-deprecated-sunset\`, the day from which on it is gone.`

/** The document, as plain JSON. */
export function openApiDocument(
  routes: DescribedRoute[],
  servers: { url: string; description: string }[],
): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = describeOperation(route)
  }
  const codes = [...new Set(routes.flatMap(({ operation }) => codesOf(operation)))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Animal Store',
      version: '1.0.0',
      summary: 'The animals that a store offers.',
      description,
      contact: { name: 'The store that runs this service', url: servers[0]?.url },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers,
    tags: [
      { name: 'animals', description: 'The animals that the store offers.' },
      { name: 'categories', description: 'Names for the categories of animals.' },
      { name: 'orders', description: 'Orders, which reserve animals.' },
    ],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The API key of the environment: `Authorization: Bearer <API_KEY>`.',
        },
      },
      schemas: Object.fromEntries(wireSchemas.map((schema) => [nameOf(schema), publish(schema)])),
      parameters: Object.fromEntries(
        Object.entries(requestHeaders).map(([name, header]) => [
          name,
          { name, in: 'header', ...header },
        ]),
      ),
      headers: answerHeaders,
      responses: sharedAnswers(),
      examples: Object.fromEntries(codes.map((code) => [code, errorExample(code)])),
    },
  }
}

function describeOperation({
  operation,
  method,
  params,
  querystring,
  body,
  rawBody,
}: DescribedRoute): object {
  const { bodyExamples, requestHeaders: fields, ...rest } = operation
  const { success, errors, conditions, headers, ...described } = rest
  return {
    ...described,
    security: [{ apiKey: [] }],
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', querystring),
      ...fields.map((name: RequestHeader) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body === undefined && rawBody === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: Object.fromEntries(
              mediaTypesOf(method, rawBody).map((type) => [
                type,
                rawBody?.[type]
                  ? { ...rawBody[type], schema: publish(rawBody[type].schema) }
                  : { schema: reference(body), examples: bodyExamples },
              ]),
            ),
          },
        }),
    responses: answersOf(operation),
  }
}

interface ObjectSchema {
  required?: string[]
  properties: Record<string, Record<string, unknown>>
}

/** A default makes a required parameter optional, as it does when the query is read. */
function parametersOf(place: 'path' | 'query', schema: unknown): object[] {
  if (schema === undefined) return []
  const { properties, required = [] } = schema as ObjectSchema
  return Object.entries(properties).map(([name, property]) => {
    const { description: meaning, style, explode, ...rest } = property
    return {
      name,
      in: place,
      required: required.includes(name) && rest.default === undefined,
      description: meaning,
      ...(style === undefined ? {} : { style, explode }),
      schema: publish(rest),
    }
  })
}

/** A schema as the document has it: references into the components, nothing that is ours alone. */
function publish(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(publish)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema)
    .filter(([key]) => key !== '$id' && key !== 'x-pattern-message')
    .map(([key, value]) => [key, key === '$ref' ? `#/components/schemas/${value}` : publish(value)])
  return Object.fromEntries(entries)
}

/** What has a name is told by its name. */
function reference(schema: unknown): unknown {
  const named = wireSchemas.find((known) => known === schema)
  return named ? { $ref: `#/components/schemas/${nameOf(named)}` } : publish(schema)
}

function nameOf(schema: TSchema): string {
  return (schema as { $id?: string }).$id as string
}
