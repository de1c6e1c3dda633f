// The whole reference, read: what its pages are made from.
import type { Operation } from './operation.ts'
import type { ReferenceContext } from './reference-context.ts'
import type { SecurityScheme } from './security-schemes.ts'
import type { CommonHeaders } from './shared-headers.ts'

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
