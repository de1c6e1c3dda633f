// Moments as the wire shows them.

/** RFC 3339, of milliseconds since the epoch. */
export function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}
