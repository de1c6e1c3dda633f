// Schemas that several places share.
import { type TSchema, type TUnsafe, Type } from 'typebox'

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
