// getPet is deprecated and ends on 5 December 2030 (specification, "Versioning").
import { AppError } from '../../platform/errors.ts'

export const deprecatedSince = Date.UTC(2025, 11, 5)
export const sunset = Date.UTC(2030, 11, 5)
export const sunsetDate = '2030-12-05'

/** Headers of every answer: Deprecation (RFC 9745), Sunset (RFC 8594) and where to go instead. */
export function deprecationHeaders(baseUrl: string, petId: string): string[] {
  const successor = /^\d{1,19}$/.test(petId) ? `${baseUrl}/pets?id=${petId}` : `${baseUrl}/pets`
  return [
    'Deprecation',
    `@${deprecatedSince / 1000}`,
    'Sunset',
    new Date(sunset).toUTCString(),
    'Link',
    `<${baseUrl}/openapi.yaml>; rel="deprecation"; type="application/yaml", <${successor}>; rel="successor-version"`,
  ]
}

/** Throws `operation_removed` from the sunset on. */
export function refuseAfterSunset(now: number): void {
  if (now < sunset) return
  throw new AppError(
    'operation_removed',
    'This operation was removed on 5 December 2030. Use GET /pets with the id or status filter.',
  )
}
