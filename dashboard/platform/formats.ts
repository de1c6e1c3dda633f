// Numbers, times and messages as users read and type them.

const grouped = new Intl.NumberFormat('en')

/** `1,234`. */
export const count = (value: number | bigint): string => grouped.format(value)

/** `1 animal`, `2,000 animals`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** An int64 with every digit; undefined for any other text. */
export function parseInteger(text: string): bigint | undefined {
  const trimmed = text.trim()
  if (!/^-?\d{1,19}$/.test(trimmed)) return undefined
  const value = BigInt(trimmed)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

export const checkInteger = (text: string): string | undefined =>
  parseInteger(text) === undefined ? 'Enter a whole number.' : undefined

/** `12.3 kB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} kB`
  if (size < 1_000_000_000) return `${(size / 1_000_000).toFixed(1)} MB`
  return `${(size / 1_000_000_000).toFixed(2)} GB`
}

/** A value of the API as a word on screen: `Sold` for `sold`. */
export const capitalized = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1)

/** Values of the API as choices, each with its word. */
export const asChoices = <Value extends string>(values: readonly Value[]) =>
  values.map((value) => ({ value, label: capitalized(value) }))

/** An address without its scheme and final slash. */
export const shownAddress = (address: string): string =>
  address.replace(/^https?:\/\//, '').replace(/\/$/, '')

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

/** Fields of the API in a sentence. A form never shows their names. */
const subjects: Record<string, string> = {
  categoryId: 'The category ID',
  colour: 'The colour',
  currentPassword: 'This password',
  host: 'The domain',
  label: 'The label',
  name: 'The name',
  newPassword: 'This password',
  password: 'This password',
  petId: 'The animal ID',
  rateLimit: 'The rate limit',
  slug: 'The subdomain',
  status: 'The status',
  url: 'This URL',
}

/** A message of the API as a sentence of a form: with a word for the field, without limits of int64 and settings. */
export function sentenceOf(path: string, message: string): string {
  const rest = message.startsWith(`${path} `) ? message.slice(path.length + 1) : undefined
  // A verb needs a subject; a rest that begins with a value has one.
  const subject = rest !== undefined && /^[a-z]+ /.test(rest) ? `${subjects[path] ?? 'It'} ` : ''
  const text = `${subject}${rest ?? message}`
    .replace('an integer from -9223372036854775808 to 9223372036854775807', 'a whole number')
    .replace(/must have 1 to \d+ characters; it has 0/, 'is empty')
    .replace(/ \(see [A-Z_]+\)/, '')
  const end = /[.!?]$/.test(text) ? '' : '.'
  // A host name is not a word.
  const startsWithHost = /^\S+\.\S/.test(text)
  return (startsWithHost ? text : text.charAt(0).toUpperCase() + text.slice(1)) + end
}
