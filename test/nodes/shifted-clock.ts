// Processes of the program with another clock than their machine's.
import { runFirst } from '../kill-at.ts'

/** The environment of a process whose clock is ahead by `byMs`, or behind. */
export function shiftedClock(byMs: number): Record<string, string> {
  return runFirst(`const real = Date.now; Date.now = () => real() + ${byMs}`)
}

const readEveryMs = 100

/** The environment of a process whose clock is ahead by as many milliseconds as a file says, which may change. */
export function jumpingClock(file: string): Record<string, string> {
  return runFirst(`import { readFileSync } from 'node:fs'
    const real = Date.now
    let byMs = 0
    const read = () => { try { byMs = Number(readFileSync(${JSON.stringify(file)})) } catch {} }
    read()
    setInterval(read, ${readEveryMs}).unref()
    Date.now = () => real() + byMs`)
}
