// The types of written-form.js, which browsers run as it is.

export interface Form {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  /** matrix, label, simple, form, spaceDelimited, pipeDelimited, deepObject or cookie. */
  style: string
  explode: boolean
  /** `allowReserved` of a query. */
  reserved?: boolean | undefined
}

/** A property of a form body. */
export interface FieldForm {
  name: string
  /** If the Encoding Object has style, explode or allowReserved. */
  style?: string | undefined
  explode: boolean
  reserved?: boolean | undefined
  /** Content type of its parts. */
  type?: string | undefined
  isFile: boolean
}

export interface Part {
  name: string
  text: string
  type?: string
  isFile: boolean
}

export function textOfValue(value: unknown): string
export function writeParameter(form: Form, value: unknown): string
export function writeField(form: FieldForm, value: unknown): Part[]
export function writeUrlencoded(form: FieldForm, value: unknown): string
export function urlencoded(parts: readonly { name: string; text: string }[]): string
export function readFieldValue(kind: string | undefined, text: string): unknown
