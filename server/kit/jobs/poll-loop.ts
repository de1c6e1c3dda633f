// Repeats a background job: at the start, at an interval, and whenever it is woken. Passes never overlap. One that fails is
// logged and retried, with growing delays while it keeps failing.
import type { Logger } from '../log.ts'

export interface PollLoop {
  /** Has a pass begin now, or right after the one under way. */
  wake(): void
  /** The same. Resolves when a pass that began after this call has ended, whatever its outcome. */
  runNow(): Promise<void>
  /** Begins no more passes and aborts the signal of the one under way; resolves when it has ended. */
  stop(): Promise<void>
}

export interface PollLoopOptions {
  /** Names the work in the log: `${name} failed; retrying`. */
  name: string
  log: Logger
  /** One pass. Gives the milliseconds until the next one where that is not the interval; Infinity: when woken. */
  poll(signal: AbortSignal): Promise<number | undefined> | Promise<void>
  /** From the end of a pass to the start of the next one, unless it is woken. Infinity: only when it is woken. */
  intervalMs: number
  /** The least time from the end of a pass to the start of the next one, also if it is woken. */
  pauseMs?: (tookMs: number) => number
  /** False: the first pass begins after the interval. */
  startsNow?: boolean
}

/** After a failure the next pass comes after the interval, then twice as long each time, up to this. */
export const maxBackOffMs = 5_000

/** Timers do not keep the process alive. */
export function startPollLoop(options: PollLoopOptions): PollLoop {
  const { intervalMs, log, name, pauseMs = () => 0, startsNow = true } = options
  const hasInterval = Number.isFinite(intervalMs)
  const longestBackOffMs = hasInterval ? Math.max(intervalMs, maxBackOffMs) : maxBackOffMs
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isWoken = false
  let pausesUntil = 0
  let failures = 0

  async function run(): Promise<void> {
    clearTimeout(timer)
    let nextMs: number
    let pause: number
    do {
      isWoken = false
      const start = performance.now()
      nextMs = await pass()
      const end = performance.now()
      pause = pauseMs(end - start)
      pausesUntil = end + pause
    } while (isWoken && pause <= 0 && !stopping.signal.aborted)
    running = undefined
    schedule(isWoken ? pause : Math.max(nextMs, pause))
  }

  /** Gives the milliseconds until the next one. */
  async function pass(): Promise<number> {
    try {
      const nextMs = await options.poll(stopping.signal)
      failures = 0
      return nextMs ?? intervalMs
    } catch (error) {
      if (stopping.signal.aborted) return intervalMs
      // A repeated failure, such as an unavailable database, is logged once.
      if (failures === 0)
        log.warn({ event: 'loop.failed', loop: name, err: error }, `${name} failed; retrying`)
      failures += 1
      const backOffMs = Math.min(intervalMs, maxBackOffMs) * 2 ** (failures - 1)
      return Math.min(backOffMs, longestBackOffMs)
    }
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer)
    if (stopping.signal.aborted || delayMs === Number.POSITIVE_INFINITY) return
    timer = setTimeout(() => {
      running ??= run()
    }, delayMs).unref()
  }

  if (startsNow) running = run()
  else schedule(intervalMs)

  async function runNow(): Promise<void> {
    if (stopping.signal.aborted) return
    isWoken = true
    const pause = pausesUntil - performance.now()
    if (!running && pause > 0) return schedule(pause)
    running ??= run()
    await running
  }

  return {
    wake: () => void runNow(),
    runNow,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
