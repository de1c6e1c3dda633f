// The whole reference after reading: the input of its pages, and the headers that responses have in common.
import type { Header, Operation } from './read-operations.ts'
import type { ReferenceContext } from './reference-context.ts'
import type { SecurityScheme } from './security-schemes.ts'

export interface Reference {
  context: ReferenceContext
  operations: Operation[]
  groups: OperationGroup[]
  headers: CommonHeaders
  schemes: ReadonlyMap<string, SecurityScheme>
}

/** Operations with the same first tag. */
export interface OperationGroup {
  title: string
  description: string | undefined
  operations: Operation[]
}

export const overviewPath = 'reference/index.html'
export const schemasPath = 'reference/schemas/index.html'

interface CommonHeaders {
  /** Headers of rate limits, in any response. */
  limits: Header[]
  /** Headers of every response of every operation. */
  always: Header[]
  /** Whether the header is one of `always`, or of a rate limit that every response contains. */
  isCommon(header: Header): boolean
}

const limitName = /^(x-)?rate-?limit|^retry-after$/i

export function commonHeaders(operations: readonly Operation[]): CommonHeaders {
  const responses = operations
    .filter(({ isWebhook }) => !isWebhook)
    .flatMap((operation) => operation.responses)
  const counts = new Map<string, number>()
  const byKey = new Map<string, Header>()
  for (const header of responses.flatMap(({ headers }) => headers)) {
    const key = keyOf(header)
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (!byKey.has(key)) byKey.set(key, header)
  }
  const isCommon = (header: Header) =>
    responses.length > 2 && counts.get(keyOf(header)) === responses.length
  const all = [...byKey.values()]
  const limits = new Map<string, Header>()
  for (const header of all) {
    const name = header.name.toLowerCase()
    if (limitName.test(name) && !limits.has(name)) limits.set(name, header)
  }
  return {
    limits: [...limits.values()],
    always: all.filter((header) => isCommon(header) && !limitName.test(header.name)),
    isCommon,
  }
}

/** Headers with the same name may have different meanings in different responses. */
function keyOf({ name, description = '' }: Header): string {
  return `${name.toLowerCase()} ${description}`
}
