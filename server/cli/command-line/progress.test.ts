import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createProgress, createWaitingLine, progressLine } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('shows percentage, count, rate and time left when the total is known', () => {
  const state = { label: 'Checking', done: 250, total: 1000, count: 50_000 }
  expect(progressLine(state, 10_000)).toBe(
    `Checking  ${'█'.repeat(4)}${'░'.repeat(12)}  25 %  50,000 animals  5,000/s  30 s left`,
  )
  expect(progressLine({ ...state, done: 1 }, 60_000)).toMatch(/ 16 h 39 min left$/)
  expect(progressLine({ ...state, done: 100 }, 10_000)).toMatch(/ 1 min 30 s left$/)
  expect(progressLine({ ...state, done: 1000 }, 10_000)).toMatch(
    / 100 % {2}50,000 animals {2}5,000\/s$/,
  )
  expect(progressLine({ ...state, done: 0, count: 0 }, 0)).toMatch(/ 0 % {2}0 animals$/)
})

it('shows only count and rate when the total is unknown', () => {
  const state = { label: 'Checking', done: 250, total: undefined, count: 50_000 }
  expect(progressLine(state, 10_000)).toBe('Checking  50,000 animals  5,000/s')
})

it('redraws ten times a second within the width of the terminal, and clears the line at the end', () => {
  let now = 0
  const drawn: string[] = []
  const terminal = { isTTY: true, columns: 30, write: (text: string) => drawn.push(text) }
  const progress = createProgress(terminal, () => now)
  const state = { label: 'Checking', done: 1, total: 2, count: 1 }
  for (const moment of [10, 50, 109, 111]) {
    now = moment
    progress.update(state)
  }
  progress.update({ ...state, label: 'Importing' })
  progress.end()
  expect(drawn).toHaveLength(4)
  const shown = drawn.map((text) => text.replace('\r\x1b[K', ''))
  expect(shown.map((text) => text.slice(0, 9))).toEqual(['Checking ', 'Checking ', 'Importing', ''])
  for (const text of shown) expect(text.length).toBeLessThan(30)
})

it('draws nothing without a terminal', () => {
  const drawn: string[] = []
  const progress = createProgress({ write: (text: string) => drawn.push(text) }, () => 0)
  progress.update({ label: 'Checking', done: 1, total: 2, count: 1 })
  progress.end()
  expect(drawn).toEqual([])
})

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, columns: 24, written, write: (text: string) => written.push(text) }
}

it('shows what it waits for after one second, then clears the line', () => {
  const screen = terminal(true)
  const waiting = createWaitingLine(screen, Date.now)
  waiting.say('Finding the name servers')
  vi.advanceTimersByTime(900)
  expect(screen.written).toEqual([])
  vi.advanceTimersByTime(200)
  expect(screen.written.at(-1)).toBe('\r\u001b[KFinding the name server')
  waiting.say('Asking 4')
  vi.advanceTimersByTime(1000)
  expect(screen.written.at(-1)).toBe('\r\u001b[KAsking 4 … 2 s')
  waiting.end()
  const { length } = screen.written
  expect(screen.written.at(-1)).toBe('\r\u001b[K')
  vi.advanceTimersByTime(5000)
  expect(screen.written).toHaveLength(length)
})

it('shows nothing for a quick operation or without a terminal', () => {
  const quick = terminal(true)
  const waiting = createWaitingLine(quick, Date.now)
  waiting.say('Asking 4 name servers')
  vi.advanceTimersByTime(500)
  waiting.end()
  const pipe = terminal(false)
  createWaitingLine(pipe, Date.now).say('Asking')
  vi.advanceTimersByTime(5000)
  expect([quick.written, pipe.written]).toEqual([[], []])
})
