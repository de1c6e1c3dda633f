// A domain without what goes on by itself while it is looked at: its certificate comes.
import type { Domain } from '../../server/publishing/domains/api/schema.ts'

export function steady({ badge: _, certificate: __, serving: ___, ...rest }: Domain): object {
  return rest
}
