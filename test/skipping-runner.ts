// Vitest's runner: skips the tests for which something is missing on this machine (TEST_MISSING, test/needs.ts), and says
// in their metadata what. A group in which nothing is left does not run its hooks.
import { relative } from 'node:path'
import { type RunnerTask, type RunnerTestFile, TestRunner } from 'vitest'
import { missingFor } from './needs.ts'

const missing = new Set((process.env.TEST_MISSING ?? '').split(',').filter(Boolean))

export default class SkippingRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    if (missing.size === 0) return
    for (const file of files) skip(file, relative(this.config.root, file.filepath), [])
  }
}

/** Skips a task, or all within it; returns whether nothing of it is left. */
function skip(task: RunnerTask, file: string, names: readonly string[]): boolean {
  if (task.mode === 'skip' || task.mode === 'todo') return true
  if (task.type === 'suite') {
    const left = task.tasks.filter((each) => !skip(each, file, [...names, each.name]))
    if (task.tasks.length === 0 || left.length > 0) return false
  } else {
    const needs = missingFor(file, names.join(' > '), missing)
    if (needs === undefined) return false
    Object.assign(task.meta, { needs })
  }
  task.mode = 'skip'
  return true
}
