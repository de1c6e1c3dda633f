// Schemas that several rooms share, and the form in which records are sent.
import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
import { timeOrNull } from '../clock.ts'

/** The same schema with its own description: documents refer to the named schema and describe this use of it. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  const { $id: _name, ...keywords } = schema as Schema & { $id?: string }
  return { ...keywords, description, 'x-refers-to': schema } as unknown as Schema
}

/** An integer of 64 bits, exact to the last digit: a bigint where a number would lose digits. */
export function int64(
  keywords: { description?: string; examples?: number[] } = {},
): TUnsafe<number | bigint> {
  return Type.Unsafe<number | bigint>(Type.Integer({ format: 'int64', ...keywords }))
}

export const dateTime = (description: string) =>
  Type.String({ format: 'date-time', readOnly: true, description })

/** One of these words. */
export const words = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Unsafe<T>(
    Type.Enum([...values], { type: 'string', ...(description !== undefined && { description }) }),
  )

export const text = (maxLength: number, description: string, minLength = 0) =>
  Type.String({ ...(minLength > 0 && { minLength }), maxLength, description })

export const count = (description: string) => Type.Integer({ minimum: 0, description })

export const momentOrNull = (description: string) => nullable(dateTime(description), description)

export const nullable = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** Those that turn the direction of the text around them, so that it reads as another one. */
const directions = '\\u202a-\\u202e\\u2066-\\u2069'
export const noControls = `[^\\p{Cc}${directions}]*`

/** A single line of text that is shown to others. */
export const line = (maxLength: number, description?: string) =>
  Type.String({
    ...{ minLength: 1, maxLength, pattern: `^${noControls}[^\\p{Cc}\\p{Cf}\\s]${noControls}$` },
    'x-pattern-message': 'must have a visible character and no control characters',
    ...(description !== undefined && { description }),
  })

/** A query parameter that is `true` or, by default, `false`. */
export const booleanText = (description: string) =>
  Type.Enum(['true', 'false'], { type: 'string', default: 'false', description })

/** The query parameter for the size of a page. */
export const pageLimit = (byDefault: number) =>
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: byDefault,
    description: 'Maximum number of items.',
  })

/** All records of a kind. */
export const listOf = <Schema extends TSchema>(
  item: Schema,
  $id: string,
  description: string,
  maxItems = 100,
) => Type.Object({ items: Type.Array(item, { maxItems }) }, { $id, description })

/** A page of records, and the cursor of the next one. */
export const pageOf = <Schema extends TSchema>(
  item: Schema,
  $id: string,
  description: string,
  cursor: string,
) =>
  Type.Object(
    { items: Type.Array(item, { maxItems: 100 }), next: nullable(Type.String(), cursor) },
    { $id, description },
  )

/** A page of rows that were read with one more than `limit`, which shows whether there is another page. */
export function toPage<Row, Cursor extends keyof Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursor: Cursor,
  itemOf: (row: Row) => Item,
) {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { items: rows.slice(0, limit).map((row) => itemOf(row)), next: last?.[cursor] ?? null }
}

/** What is sent, as the program has it: times, whose names end in At, in milliseconds; undefined for null. */
export type Sent<T> = {
  [K in keyof T]:
    | (K extends `${string}At` ? number : T[K])
    | (null extends T[K] ? null | undefined : never)
}

/** A record as it is sent: only the fields of its schema, in their order, so that no other is sent by accident. */
export function toWire<S extends TObject>(schema: S, record: Sent<Static<S>>): Static<S> {
  const values = record as Record<string, unknown>
  const sent = Object.keys(schema.properties).map((name) => {
    const value = values[name]
    return [name, name.endsWith('At') ? timeOrNull(value as number | null) : (value ?? null)]
  })
  return Object.fromEntries(sent)
}

/** A text without control characters, such as one to search for. PostgreSQL's texts have no NUL. */
export const plainText = (maxLength: number, description: string, minLength = 1) =>
  Type.String({
    ...(minLength > 0 && { minLength }),
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    'x-pattern-message': 'must have no control characters',
    description,
  })
