// What an API declares once for all of its operations: title, tags, security, shared errors and headers.
import type { ApiErrorCode, Example, Operation } from './operation.ts'

/** What a document says beyond its operations. */
export interface ApiDescription {
  title: string
  summary?: string
  description: string
  contactName: string
  servers: { url: string; description?: string }[]
  /** Descriptions of the operations' groups, in the order of the document. */
  tags: Record<string, string>
  securitySchemes: Record<string, object>
  /** How an operation is authorized, and what else the document says of that. */
  securityOf(operation: Operation): { security: object[] }
  /** The usual one, for all operations. */
  security?: object[]
  /** Descriptions of path parameters that have no schema. */
  pathParameters: Record<string, string>
  errors: ErrorCatalog
  headers?: HeaderCatalog
  /** Request headers that operations name. */
  requestHeaders?: Record<string, object>
}

/** Errors, their meanings, and which of them an operation can have. */
export interface ErrorCatalog {
  codes: Record<string, { status: number; meaning: string }>
  /** Of every operation. */
  common: readonly ApiErrorCode[]
  /** Of every operation but a GET. */
  ofChanges: readonly ApiErrorCode[]
  /** Of one operation, besides the common and its own. */
  implied?(operation: Operation): readonly ApiErrorCode[]
  /** When each status is returned, in one sentence. */
  conditions: Partial<Record<number, string>>
  /** An example of a code, as the service words it. */
  exampleOf?(code: ApiErrorCode): Example
}

/** Response headers and which responses carry them. */
export interface HeaderCatalog {
  all: Record<string, object>
  /** The header's name in a response; several catalog entries may describe one header. */
  nameOf(entry: string): string
  ofSuccess(operation: Operation): readonly string[]
  ofNotModified(operation: Operation): readonly string[]
  /** `operation` is undefined for a response that all operations share. */
  ofError(
    operation: Operation | undefined,
    status: number,
    codes: readonly ApiErrorCode[],
  ): readonly string[]
}

/** Publishes a schema: what has a name goes to the components and is referred to. */
export type Publish = (schema: unknown) => unknown
