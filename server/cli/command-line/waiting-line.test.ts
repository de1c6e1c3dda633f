import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWaitingLine } from './waiting-line.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, columns: 24, written, write: (text: string) => written.push(text) }
}

test('says what it waits for after a second, and clears the line', () => {
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

test('what is quick, and what is no terminal, shows nothing', () => {
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
