// Spans of time as they are typed: 90d, 12h, 30m, 0s.
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a span such as 24h. */
export function readSpan(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : undefined
}
