// An operation after reading: texts may contain anything, types are checked. And the paths of its pages:
// readable and unique.
import { kebabCase } from './plain-text.ts'

export interface Operation {
  /** Path of its page. */
  path: string
  title: string
  /** In capitals. */
  method: string
  /** Such as `/pets/{petId}`; the name of a webhook. */
  route: string
  isWebhook: boolean
  operationId: string | undefined
  description: string | undefined
  tags: string[]
  stability: Stability | undefined
  deprecated: boolean
  /** When it will be removed: a date, or text from the document. */
  sunset: string | undefined
  parameters: Parameter[]
  body: RequestBody | undefined
  responses: Response[]
  /** Alternatives; each lists the schemes that are required together. Undefined if not specified. */
  security: SecurityNeed[][] | undefined
  servers: Server[]
  callbacks: Callback[]
  externalDocs: Link | undefined
}

/** The value of `x-stability`; a stable operation has none. */
export interface Stability {
  word: string
  /** Its meaning, if known. */
  meaning: string | undefined
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required: boolean
  deprecated: boolean
  description: string | undefined
  schema: unknown
  /** Whether the items of a list are repeated as parameters of the same name. */
  explode: boolean
  examples: unknown[]
}

export interface RequestBody {
  required: boolean
  description: string | undefined
  media: Media[]
}

export interface Media {
  type: string
  schema: unknown
  examples: Example[]
}

export interface Example {
  name: string | undefined
  summary: string | undefined
  value: unknown
}

export interface Response {
  /** Such as `200`, `4XX` or `default`. */
  status: string
  description: string | undefined
  headers: Header[]
  media: Media[]
}

export interface Header {
  name: string
  required: boolean
  deprecated: boolean
  description: string | undefined
  schema: unknown
  examples: unknown[]
}

export interface SecurityNeed {
  scheme: string
  scopes: string[]
}

export interface Server {
  url: string
  description: string | undefined
}

export interface Callback {
  name: string
  expression: string
  method: string
  summary: string | undefined
}

export interface Link {
  url: string
  title: string
}

export interface PageNames {
  /** Path of the next page, named after `text`. */
  next(text: string): string
}

/** `taken` are names without folder and extension. */
export function createPageNames(folder: string, taken: string[]): PageNames {
  const used = new Set(taken)
  const counts = new Map<string, number>()
  return {
    next(text) {
      const base = kebabCase(text) || 'unnamed'
      let name = base
      let count = counts.get(base) ?? 1
      while (used.has(name)) {
        count += 1
        name = `${base}-${count}`
      }
      counts.set(base, count)
      used.add(name)
      return `${folder}${name}.html`
    },
  }
}
