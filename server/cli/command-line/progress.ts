// What commands draw on a terminal while they work: progress bars, a line while they wait, lines in place; and how a signal ends
// them.
import { stripVTControlCharacters } from 'node:util'
import { CommandError } from './command.ts'

interface ProgressState {
  /** Such as `Reading`. */
  label: string
  done: number
  total: number | undefined
  /** What is shown; `done` by default. */
  count?: number
  /** What is counted; animals by default. */
  unit?: string
}

interface Terminal {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const drawEveryMs = 100
const barWidth = 16
const clearLine = '\r\x1b[K'

export type Progress = ReturnType<typeof createProgress>

/** Draws on standard error while `work` lasts. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = createProgress(process.stderr, () => performance.now())
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** A progress bar, drawn at most ten times a second; nothing where `terminal` is no terminal. */
export function createProgress(terminal: Terminal, now: () => number) {
  if (!terminal.isTTY) return { update: () => {}, end: () => {} }
  const started = now()
  let drawn = Number.NEGATIVE_INFINITY
  let label = ''
  return {
    /** `done` of `total`, in any unit; `total` is undefined where it is unknown. */
    update(state: ProgressState) {
      const moment = now()
      if (moment - drawn < drawEveryMs && state.label === label) return
      drawn = moment
      label = state.label
      const line = progressLine(state, moment - started)
      terminal.write(clearLine + line.slice(0, widthOf(terminal)))
    },
    /** Clears the line. */
    end() {
      // A second time would clear what was printed after the bar.
      if (drawn !== Number.NEGATIVE_INFINITY) terminal.write(clearLine)
      drawn = Number.NEGATIVE_INFINITY
    },
  }
}

/** `Reading  ████░░░░  42 %  420,000 animals  210,000/s  3 s left`; count and rate where the total is unknown. */
export function progressLine(
  { label, done, total, count = done, unit = 'animals' }: ProgressState,
  ms: number,
): string {
  const rate = ms > 0 ? (count * 1000) / ms : 0
  const parts = [`${count.toLocaleString('en')} ${unit}`]
  if (rate >= 1) parts.push(`${Math.round(rate).toLocaleString('en')}/s`)
  if (total === undefined) return [label, ...parts].join('  ')
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.round(share * barWidth)
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full)
  const left = share > 0 ? (ms * (1 - share)) / share : undefined
  if (left !== undefined && share < 1) parts.push(`${span(left)} left`)
  return [label, bar, `${Math.floor(share * 100)} %`, ...parts].join('  ')
}

function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A terminal that does not know its width reports 0. */
function widthOf({ columns }: Terminal): number {
  return (columns || 80) - 1
}

const quietMs = 1000
const redrawEveryMs = 250

/** One line that says what a command waits for, from the second second on; nothing where `terminal` is no terminal. */
export function createWaitingLine(terminal: Terminal, now: () => number) {
  if (!terminal.isTTY) return { say: () => {}, end: () => {} }
  const started = now()
  let step = ''
  let isDrawn = false
  const draw = (): void => {
    const ms = now() - started
    if (ms < quietMs || step === '') return
    const line = `${step} … ${Math.floor(ms / 1000)} s`
    terminal.write(clearLine + line.slice(0, widthOf(terminal)))
    isDrawn = true
  }
  const timer = setInterval(draw, redrawEveryMs)
  timer.unref()
  return {
    /** The current step, such as `Querying 4 name servers`. */
    say(next: string) {
      step = next
      draw()
    },
    /** Clears the line. */
    end() {
      clearInterval(timer)
      if (isDrawn) terminal.write(clearLine)
      isDrawn = false
    },
  }
}

const clearBelow = '\u001b[J'

/** Lines that are redrawn in place on a terminal; elsewhere each line is printed once, when it is new. */
export function createLiveLines(terminal: Terminal) {
  const seen = new Set<string>()
  let drawn = 0
  return {
    show(lines: readonly string[]) {
      if (!terminal.isTTY) {
        const fresh = lines.filter((line) => !seen.has(line))
        for (const line of fresh) seen.add(line)
        if (fresh.length > 0) terminal.write(fresh.map((line) => `${line}\n`).join(''))
        return
      }
      // A line that wraps would count as two on the way up.
      const width = widthOf(terminal)
      const fitting = lines.map((line) => cut(line, width))
      const up = drawn > 0 ? `\r\u001b[${drawn}A` : ''
      terminal.write(`${up}${clearBelow}${fitting.map((line) => `${line}\n`).join('')}`)
      drawn = lines.length
    },
  }
}

/** A line that is too long is cut and loses its colours. */
function cut(line: string, width: number): string {
  const plain = stripVTControlCharacters(line)
  return plain.length > width ? `${plain.slice(0, width - 1)}…` : line
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * The first SIGINT, SIGTERM or SIGHUP aborts a command, which may undo what it has begun; a second one ends the process. `end`
 * gives the signals their usual meaning back.
 */
export function abortOnSignal(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const abort = (name: NodeJS.Signals): void => {
    end()
    controller.abort(new CommandError(`interrupted by ${name}.`))
  }
  const end = (): void => {
    for (const name of signals) process.off(name, abort)
  }
  for (const name of signals) process.on(name, abort)
  return { signal: controller.signal, end }
}
