// Runs around each test file: with PROCESSOR_TIMES=file, one line there for each test and each test file, with the seconds
// of processor time of its process and of the processes that it started and waited for.
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

const path = process.env.PROCESSOR_TIMES

if (path) {
  const add = (before: number, name: string): void => {
    const file = relative(process.cwd(), expect.getState().testPath ?? '')
    appendFileSync(path, `${(processorSeconds() - before).toFixed(2)} ${file}${name}\n`)
  }
  const atFile = processorSeconds()
  let atTest = 0
  beforeEach(() => {
    atTest = processorSeconds()
  })
  afterEach(({ task }) => add(atTest, ` > ${task.name}`))
  afterAll(() => add(atFile, ''))
}

/** utime, stime, cutime and cstime of proc_pid_stat(5), in ticks of 10 ms. */
function processorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}
