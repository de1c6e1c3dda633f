// Formats text for a terminal: signs, optional colours, and no control characters.
import type { Severity } from './diagnostic.ts'

export interface TextOptions {
  hasColour: boolean
  /** A time, such as `14:32`. */
  formatTime: (at: number) => string
  /** The width at which text wraps; undefined for no wrapping. */
  columns?: number
}

export const signs: Record<Severity, { sign: string; colour: number }> = {
  blocks: { sign: '✗', colour: 31 },
  waits: { sign: '…', colour: 36 },
  warns: { sign: '!', colour: 33 },
  fine: { sign: '✓', colour: 32 },
}

/** Writes invisible and control characters as `\u{…}`. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
}

export function paint(text: string, colour: number, { hasColour }: TextOptions): string {
  return hasColour ? `\u001b[${colour}m${text}\u001b[0m` : text
}

/** Indents the text and wraps it at `columns`. Words are not split. */
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
