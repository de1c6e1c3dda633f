// Retry-After (RFC 9110, section 10.2.3): seconds, or a date, converted to a timestamp on arrival.

const maxMs = 30 * 86_400_000

/**
 * When to retry, in milliseconds since the epoch: between `now` and 30 days later. Undefined when the header is
 * missing or invalid.
 */
export function readRetryAfter(field: string | undefined, now: number): number | undefined {
  const text = field?.trim() ?? ''
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : readDate(text)
  return time === undefined ? undefined : Math.min(Math.max(time, now), now + maxMs)
}

/** An HTTP date (RFC 9110, section 5.6.7), in any of its three forms. */
function readDate(text: string): number | undefined {
  const form = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\x20-\x7e]{8,40}$/
  if (!form.test(text)) return undefined
  // asctime has no zone; it is UTC.
  const ms = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}
