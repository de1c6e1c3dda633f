// When a failed delivery is retried: the schedule that Standard Webhooks suggests, with jitter, so that deliveries which
// failed together are not retried together.

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

export const retryDelaysMs = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]

const longestMs = 24 * hours

/**
 * Milliseconds to wait after `tries` attempts have failed; undefined when that was the last one.
 * Retry-After (RFC 9110: seconds, or a date) can make it longer, up to a day, never shorter.
 */
export function retryDelayMs(
  tries: number,
  retryAfter: string | undefined,
  now: number,
  random: number = Math.random(),
): number | undefined {
  const delay = retryDelaysMs[tries - 1]
  if (delay === undefined) return undefined
  const jittered = Math.round(delay * (0.9 + 0.2 * random))
  return Math.max(jittered, Math.min(readRetryAfter(retryAfter, now), longestMs))
}

function readRetryAfter(field: string | undefined, now: number): number {
  if (field === undefined) return 0
  const ms = /^\d{1,9}$/.test(field) ? Number(field) * seconds : Date.parse(field) - now
  return Number.isFinite(ms) ? ms : 0
}
