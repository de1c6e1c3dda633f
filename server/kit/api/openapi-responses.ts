// The responses of an operation in the OpenAPI document: every status, error code and header that occurs.
// Errors that all operations have in the same way are shared components.
import { STATUS_CODES } from 'node:http'
import type { ApiDescription, Publish } from './api-description.ts'
import { type ApiErrorCode, methodOf, type Operation } from './operation.ts'

/** The `responses` of an operation, by status. */
export function responsesOf(
  operation: Operation,
  api: ApiDescription,
  publish: Publish,
): Record<string, object> {
  const { document = {}, status } = operation
  const { errors, headers } = api
  const { codes, ofChanges } = errors
  const common = [...errors.common, ...(methodOf(operation) === 'GET' ? [] : ofChanges)]
  const own = [...(errors.implied?.(operation) ?? []), ...operation.errors]
  const responses: Record<string, object> = {
    [status]: {
      description: document.answerDescription ?? (status === 204 ? 'Done' : operation.summary),
      ...headersOf(api, headers?.ofSuccess(operation)),
      ...successContent(operation, publish),
    },
  }
  if (document.isConditional) {
    responses[304] = {
      description: 'Not modified: the client has this response, as its If-None-Match says',
      ...headersOf(api, headers?.ofNotModified(operation)),
    }
  }
  const all = new Set([...common, ...own])
  const byStatus = Map.groupBy(all, (code) => codes[code]?.status as number)
  for (const [errorStatus, its] of byStatus) {
    const isShared =
      !document.headers &&
      its.every((code) => isSharedCode(api, code)) &&
      !own.some((c) => its.includes(c))
    responses[errorStatus] = isShared
      ? { $ref: `#/components/responses/${responseName(errorStatus)}` }
      : errorResponse(api, operation, errorStatus, its)
  }
  return responses
}

/** The responses that `responsesOf` refers to, by name. */
export function sharedResponses(api: ApiDescription): Record<string, object> {
  const { codes, common, ofChanges } = api.errors
  const shared = [...common, ...ofChanges].filter((code) => isSharedCode(api, code))
  const byStatus = Map.groupBy(shared, (code) => codes[code]?.status as number)
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, its]) => [responseName(status), errorResponse(api, undefined, status, its)]),
  )
}

/** A 400 is described for each operation: what was wrong depends on what it takes. */
function isSharedCode({ errors }: ApiDescription, code: ApiErrorCode): boolean {
  const isCommon = errors.common.includes(code) || errors.ofChanges.includes(code)
  return isCommon && errors.codes[code]?.status !== 400
}

function responseName(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '')
}

/** The response of one status: when it is returned, and the codes that tell its cases apart. */
function errorResponse(
  api: ApiDescription,
  operation: Operation | undefined,
  status: number,
  its: ApiErrorCode[],
): object {
  const { codes, conditions, exampleOf } = api.errors
  const condition =
    operation?.document?.conditions?.[status] ?? conditions[status] ?? STATUS_CODES[status]
  const cases = its.map((code) => `- \`${code}\`: ${codes[code]?.meaning}`)
  const examples = exampleOf && {
    examples: Object.fromEntries(
      its.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    ),
  }
  return {
    description: `${condition}\n\n${cases.join('\n')}`,
    ...headersOf(api, api.headers?.ofError(operation, status, its)),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, ...examples },
    },
  }
}

function successContent(
  { document, download, events, returns }: Operation,
  publish: Publish,
): { content?: object } {
  if (download) {
    const files = Object.entries(download).map(([type, schema]) => [
      type,
      { schema: publish(schema) },
    ])
    return { content: Object.fromEntries(files) }
  }
  // OpenAPI 3.1 cannot describe a sequence of events: the schema is that of the data of each.
  if (events) return { content: { 'text/event-stream': { schema: publish(events) } } }
  if (!returns) return {}
  const examples = document?.answerExamples
  return {
    content: {
      'application/json': { schema: publish(returns), ...(examples ? { examples } : {}) },
    },
  }
}

function headersOf(
  { headers }: ApiDescription,
  entries: readonly string[] | undefined,
): { headers?: object } {
  if (!headers || !entries) return {}
  const map = entries.map((entry) => [
    headers.nameOf(entry),
    { $ref: `#/components/headers/${entry}` },
  ])
  return { headers: Object.fromEntries(map) }
}
