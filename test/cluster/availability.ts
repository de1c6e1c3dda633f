// How long clients had to wait during a fault, from what they were answered.
import type { Outcome } from './history.ts'

export interface Availability {
  record(kind: 'read' | 'write', outcome: Outcome): void
  /** The longest time without an acknowledged operation since `mark`, in seconds, and how the operations ended. */
  since(mark: number): Window
}

export interface Window {
  /** Seconds without an acknowledged read or write, at most. */
  readsAway: number
  writesAway: number
  acknowledged: number
  refused: number
  unknown: number
}

interface Attempt {
  at: number
  kind: 'read' | 'write'
  outcome: Outcome
}

export function createAvailability(now: () => number = () => performance.now()): Availability {
  const attempts: Attempt[] = []
  return {
    record(kind, outcome) {
      attempts.push({ at: now(), kind, outcome })
    },
    since(mark) {
      const of = attempts.filter(({ at }) => at >= mark)
      const count = (...outcomes: Outcome[]): number =>
        of.filter(({ outcome }) => outcomes.includes(outcome)).length
      const longest = (wanted: 'read' | 'write'): number => {
        let last = mark
        let away = 0
        for (const { at, kind, outcome } of of) {
          if (kind !== wanted || (outcome !== 'acknowledged' && outcome !== 'rejected')) continue
          away = Math.max(away, at - last)
          last = at
        }
        return Math.max(away, now() - last) / 1000
      }
      return {
        readsAway: longest('read'),
        writesAway: longest('write'),
        acknowledged: count('acknowledged', 'rejected'),
        refused: count('refused'),
        unknown: count('unknown'),
      }
    },
  }
}
