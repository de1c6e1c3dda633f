// What a command is waiting for, on a terminal only, and only once it takes longer than a second.
import type { Terminal } from './progress.ts'

export interface WaitingLine {
  /** What is being done now, such as `Asking 4 name servers`. */
  say(step: string): void
  /** Clears the line. */
  end(): void
}

const quietMs = 1000
const drawEveryMs = 250
const clearLine = '\r\u001b[K'

/** Draws nothing where `terminal` is none. */
export function createWaitingLine(terminal: Terminal, now: () => number): WaitingLine {
  if (!terminal.isTTY) return { say: () => {}, end: () => {} }
  const started = now()
  let step = ''
  let isDrawn = false
  const draw = (): void => {
    const ms = now() - started
    if (ms < quietMs || step === '') return
    const line = `${step} … ${Math.floor(ms / 1000)} s`
    // A terminal that does not know how wide it is says 0.
    terminal.write(clearLine + line.slice(0, (terminal.columns || 80) - 1))
    isDrawn = true
  }
  const timer = setInterval(draw, drawEveryMs)
  timer.unref()
  return {
    say(next) {
      step = next
      draw()
    },
    end() {
      clearInterval(timer)
      if (isDrawn) terminal.write(clearLine)
      isDrawn = false
    },
  }
}
