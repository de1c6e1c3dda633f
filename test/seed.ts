// Vitest's global set-up: the seed of all generated values, in TEST_SEED. It is made from the tree of the commit, so that
// each change is tried with values of its own, and a failure is repeated on any machine. TEST_SEED=1 npm test chooses one.
import { execFileSync } from 'node:child_process'

export function setup(): void {
  process.env.TEST_SEED ??= String(Number.parseInt(treeHash().slice(0, 7), 16))
}

function treeHash(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8', timeout: 10_000 })
  } catch {
    // Not a clone.
    return '1'
  }
}
