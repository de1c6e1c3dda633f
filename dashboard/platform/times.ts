// Times as users read them, in their time zone.

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
const utcDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const utcDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })

const units: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** `3 minutes ago`, `in 2 days`; `just now` within ten seconds. */
export function ago(time: string | number, now: number = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000
  if (Math.abs(seconds) < 10) return 'just now'
  for (const [unit, size] of units) {
    // Future times are rounded: a week from now is in 7 days, also a second later.
    const whole = seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size)
    if (whole !== 0) return relative.format(whole, unit)
  }
  return relative.format(Math.trunc(seconds), 'second')
}

/** `22 November 2026 at 03:10:00 UTC`. */
export const exactly = (time: string | number): string => exact.format(new Date(time))
/** `22 Nov 2026`. */
export const onDay = (time: string | number): string => day.format(new Date(time))
/** `22 Nov`: of a date, in UTC. */
export const onUtcDay = (date: string): string => utcDay.format(new Date(date))
/** `22 Nov 2026`: of a date, in UTC. */
export const onUtcDate = (date: string): string => utcDate.format(new Date(date))
/** `03:10`. */
export const atClock = (time: string | number): string => clock.format(new Date(time))

/** `4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: a duration. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
