// The whole reference after reading: the input of its pages, and the headers that responses have in common.
import type { TryItServer } from '../sources/try-it-setting.ts'
import type { Header, Operation } from './read-operations.ts'
import type { ReferenceContext } from './reference-context.ts'
import type { SecurityScheme } from './security-schemes.ts'

export interface Reference {
  context: ReferenceContext
  operations: Operation[]
  groups: OperationGroup[]
  headers: ReturnType<typeof commonHeaders>
  schemes: ReadonlyMap<string, SecurityScheme>
  /** Undefined: readers cannot send requests. */
  tryIt: TryItServer | undefined
}

/** Operations with the same first tag. */
export interface OperationGroup {
  title: string
  description: string | undefined
  operations: Operation[]
}

export const overviewPath = 'reference/index.html'
export const schemasPath = 'reference/schemas/index.html'

const limitName = /^(x-)?rate-?limit|^retry-after$/i

export function commonHeaders(operations: readonly Operation[]) {
  const responses = operations
    .filter(({ isWebhook }) => !isWebhook)
    .flatMap((operation) => operation.responses)
  const byKey = Map.groupBy(
    responses.flatMap(({ headers }) => headers),
    keyOf,
  )
  const isCommon = (header: Header) =>
    responses.length > 2 && byKey.get(keyOf(header))?.length === responses.length
  const all = [...byKey.values()].flatMap(([first]) => first ?? [])
  const limits = Map.groupBy(
    all.filter(({ name }) => limitName.test(name)),
    ({ name }) => name.toLowerCase(),
  )
  return {
    /** Headers of rate limits, in any response. */
    limits: [...limits.values()].flatMap(([first]) => first ?? []),
    /** Headers of every response of every operation. */
    always: all.filter((header) => isCommon(header) && !limitName.test(header.name)),
    /** Whether the header is one of `always`, or of a rate limit that every response contains. */
    isCommon,
  }
}

/** Headers with the same name may have different meanings in different responses. */
function keyOf({ name, description = '' }: Header): string {
  return `${name.toLowerCase()} ${description}`
}
