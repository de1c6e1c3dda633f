// One sentence about a page, for search engines and lists.

const maxLength = 160

/** Shortened at the end of a sentence if possible, otherwise after a word. */
export function describe(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replace(/\s*[:：]?\s*$/, '')
    .trimStart()
  if (line.length <= maxLength) return line
  const start = line.slice(0, maxLength)
  const sentence = /^.{60,}[.!?](?=\s)/.exec(start)?.[0]
  return (
    sentence ??
    `${start.slice(0, Math.max(start.lastIndexOf(' '), 60)).replace(/[\s,;:.–-]+$/, '')}…`
  )
}
