// getPet is deprecated and ends on 5 December 2030 (specification, "Versioning").
import { AppError } from '#kit/errors.ts'
import type { Deprecation } from '../operations/store-route.ts'

const deprecatedSince = Date.UTC(2025, 11, 5)
const sunset = Date.UTC(2030, 11, 5)
const dates = [
  'Deprecation',
  `@${deprecatedSince / 1000}`,
  'Sunset',
  new Date(sunset).toUTCString(),
]
export const sunsetDate = '2030-12-05'

export const getPetDeprecation: Deprecation = {
  sunset,
  /** Deprecation (RFC 9745), Sunset (RFC 8594) and where to go instead. */
  headers(baseUrl, petId) {
    const successor = /^\d{1,19}$/.test(petId) ? `${baseUrl}/pets?id=${petId}` : `${baseUrl}/pets`
    return [
      ...dates,
      'Link',
      `<${baseUrl}/openapi.yaml>; rel="deprecation"; type="application/yaml", <${successor}>; rel="successor-version"`,
    ]
  },
  removed: () =>
    new AppError(
      'operation_removed',
      'This operation was removed on 5 December 2030. Use GET /pets with the id or status filter.',
    ),
}
