// How text for a terminal is made: signs, colours on request, and nothing in it that a terminal would obey.
import type { Severity } from '../finding.ts'

export interface TextOptions {
  hasColour: boolean
  /** A moment, such as `14:32`. */
  formatTime: (at: number) => string
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
