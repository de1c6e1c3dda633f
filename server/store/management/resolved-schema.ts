// The store's own schemas for the management API, which knows no `$ref`: what one names is put in its place.
import { type TSchema, type TUnsafe, Type } from 'typebox'
import { wireSchemas } from '../openapi/document.ts'

const named = new Map(
  wireSchemas.map((schema) => [(schema as { $id?: string }).$id as string, schema]),
)

/**
 * The same schema without references. One that says more than the schema it names (a description of its
 * own) stands for itself and loses the name. `Value` is what it comes out as.
 */
export function resolved<Value>(schema: TSchema): TUnsafe<Value> {
  return Type.Unsafe<Value>(resolve(schema) as TSchema)
}

function resolve(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolve)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...own } = schema as { $ref?: string }
  if ($ref === undefined) {
    return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, resolve(value)]))
  }
  const target = named.get($ref)
  if (!target) throw new Error(`no schema has the $id ${$ref}`)
  if (Object.keys(own).length === 0) return resolve(target)
  const { $id: _name, ...rest } = resolve(target) as { $id?: string }
  return { ...rest, ...own }
}
