// The clock of the program: code that depends on the time takes one as an argument, so that tests can set it.

/** Milliseconds since the Unix epoch. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** RFC 3339, of milliseconds since the epoch. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function timeOrNull(milliseconds: number | null | undefined): string | null {
  return milliseconds == null ? null : toTimestamp(milliseconds)
}
