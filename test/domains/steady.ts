// A domain without the fields that change while its certificate is issued.
import type { Domain } from '../../server/publishing/domains/api/schema.ts'

export function steady({ badge: _, certificate: __, serving: ___, ...rest }: Domain): object {
  return rest
}
