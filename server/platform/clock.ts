// Time is an argument: whatever decides by the time takes a Clock, so that a test can move it.

/** Milliseconds since the Unix epoch. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** RFC 3339, of milliseconds since the epoch. */
export function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}
