// Dates as authors write them, shown in words.

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The day of a text that begins with `2030-12-05`; undefined for other text. */
export function readDay(text: string): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text.trim())?.[0]
  if (day === undefined) return undefined
  const date = new Date(`${day}T00:00:00Z`)
  return date.toJSON()?.startsWith(day) === true ? day : undefined
}

/** `2030-12-05` becomes "5 December 2030". */
export function dayInWords(day: string): string {
  return dateFormat.format(new Date(`${day}T00:00:00Z`))
}
