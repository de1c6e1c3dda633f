// The progress bar of long work: on a terminal only, drawn at most ten times a second.

export interface Progress {
  /** `done` of `total`, in whatever unit; `total` undefined where it is not known. `count` is what is shown. */
  update(state: ProgressState): void
  /** Clears the line. */
  end(): void
}

export interface ProgressState {
  /** Such as `Reading`. */
  label: string
  done: number
  total: number | undefined
  /** Things so far. */
  count: number
  /** What they are; animals without it. */
  unit?: string
}

export interface Terminal {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const drawEveryMs = 100
const barWidth = 16
const clearLine = '\r\x1b[K'

/** Draws nothing where `terminal` is none. */
export function createProgress(terminal: Terminal, now: () => number): Progress {
  if (!terminal.isTTY) return { update: () => {}, end: () => {} }
  const started = now()
  let drawn = Number.NEGATIVE_INFINITY
  let label = ''
  return {
    update(state) {
      const moment = now()
      if (moment - drawn < drawEveryMs && state.label === label) return
      drawn = moment
      label = state.label
      const line = progressLine(state, moment - started)
      // A terminal that does not know how wide it is says 0.
      terminal.write(clearLine + line.slice(0, (terminal.columns || 80) - 1))
    },
    end() {
      // Again it would clear what came after the bar.
      if (drawn !== Number.NEGATIVE_INFINITY) terminal.write(clearLine)
      drawn = Number.NEGATIVE_INFINITY
    },
  }
}

/** `Reading  ████░░░░  42 %  420,000 animals  210,000/s  3 s left`; count and rate where no total is known. */
export function progressLine(
  { label, done, total, count, unit = 'animals' }: ProgressState,
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
