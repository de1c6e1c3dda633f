// --wait of commands that ask the server the same again until its answer is the one that is waited for.
import { setTimeout as delay } from 'node:timers/promises'
import type { Input } from '../command-line/command.ts'
import { createLiveLines } from '../command-line/progress.ts'

const pollEveryMs = 5000
/** The server may restart meanwhile. */
const outages = ['unreachable', 'unavailable', 'rate_limited']

/**
 * Resolves to the first answer that is awaited, or to the last one before the time-out; without a time-out, to the first
 * one. On a terminal, the lines of each answer before it are shown. Throws errors of the server.
 */
export async function pollUntil<Answer>(
  input: Input,
  ask: () => Promise<Answer>,
  {
    isAwaited,
    linesOf,
    timeoutMs = 0,
  }: {
    isAwaited(seen: Answer): boolean
    linesOf(seen: Answer): string[]
    timeoutMs: number | undefined
  },
): Promise<Answer> {
  const lines = createLiveLines(process.stdout)
  const until = performance.now() + timeoutMs
  for (;;) {
    try {
      const seen = await ask()
      if (isAwaited(seen) || performance.now() >= until) return seen
      if (!input.json && process.stdout.isTTY) lines.show(linesOf(seen))
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!outages.includes(code) || performance.now() >= until) throw error
    }
    await delay(Math.min(pollEveryMs, Math.max(1, until - performance.now())))
  }
}
