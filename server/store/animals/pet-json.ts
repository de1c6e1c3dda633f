// An animal as JSON. Written by hand because categoryId has digits that a JavaScript number would lose.
import type { Value } from '#kit/database/query.ts'

/** The JSON of one animal; int64 values come as bigint, or as numbers that are safe. */
export function petJson(id: Value, name: Value, categoryId: Value, status: Value): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
}

/** From a row of id, name, categoryId, status. */
export function petJsonOf(row: Value[]): string {
  return petJson(...(row as [Value, Value, Value, Value]))
}
