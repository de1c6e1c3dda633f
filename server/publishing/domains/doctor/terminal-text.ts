// How text for a terminal is made: signs, colours on request, and nothing in it that a terminal would obey.
import type { Severity } from './diagnostic.ts'

export interface TextOptions {
  hasColour: boolean
  /** A moment, such as `14:32`. */
  formatTime: (at: number) => string
  /** Where lines of words end; undefined where they need no end. */
  columns?: number
}

export const signs: Record<Severity, { sign: string; colour: number }> = {
  blocks: { sign: '✗', colour: 31 },
  waits: { sign: '…', colour: 36 },
  warns: { sign: '!', colour: 33 },
  fine: { sign: '✓', colour: 32 },
}

/** What is invisible or steers a terminal is written by its number. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
}

export function paint(text: string, colour: number, { hasColour }: TextOptions): string {
  return hasColour ? `\u001b[${colour}m${text}\u001b[0m` : text
}

/** Words behind an indent, in lines that end before `columns`; a word is never cut. */
export function wrapped(text: string, indent: string, { columns }: TextOptions): string {
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns, 40)
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && `${indent}${last} ${word}`.length < width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines.map((line) => indent + line).join('\n')
}
