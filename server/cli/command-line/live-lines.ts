// Lines that are drawn over again in place, on a terminal; elsewhere each line once, when it is new.
import { stripVTControlCharacters } from 'node:util'
import type { Terminal } from './progress.ts'

export interface LiveLines {
  show(lines: readonly string[]): void
}

const clearBelow = '\u001b[J'

export function createLiveLines(terminal: Terminal): LiveLines {
  const seen = new Set<string>()
  let drawn = 0
  return {
    show(lines) {
      if (!terminal.isTTY) {
        const fresh = lines.filter((line) => !seen.has(line))
        for (const line of fresh) seen.add(line)
        if (fresh.length > 0) terminal.write(fresh.map((line) => `${line}\n`).join(''))
        return
      }
      // A line that wraps would be two on the way up. A terminal that does not know how wide it is says 0.
      const width = (terminal.columns || 80) - 1
      const fitting = lines.map((line) => cut(line, width))
      const up = drawn > 0 ? `\r\u001b[${drawn}A` : ''
      terminal.write(`${up}${clearBelow}${fitting.map((line) => `${line}\n`).join('')}`)
      drawn = lines.length
    },
  }
}

/** Without its colours, where it is too long. */
function cut(line: string, width: number): string {
  const plain = stripVTControlCharacters(line)
  return plain.length > width ? `${plain.slice(0, width - 1)}…` : line
}
