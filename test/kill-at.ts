// Ends a process, or sends it a signal, at a call that it makes.

/** The environment in which Node runs this code before the program. */
export function runFirst(code: string): Record<string, string> {
  const module = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  return { NODE_OPTIONS: `--import=${module}` }
}

interface KillOptions {
  /** The text of a function: whether a call with these arguments counts. Default: all do. */
  counts?: string
  signal?: NodeJS.Signals
}

/**
 * The environment in which a command gets a signal before or after the n-th call of a function of node:fs, such as
 * `renameSync after 2`; for `statement before 1`, of what sends a statement to its database: a message to PostgreSQL, or
 * a call of SQLite's `exec`.
 */
export function killAt(
  point: string,
  { counts = '() => true', signal = 'SIGKILL' }: KillOptions = {},
): Record<string, string> {
  const [name, when, count] = point.split(' ')
  return runFirst(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    import net from 'node:net'
    import { DatabaseSync } from 'node:sqlite'
    const counts = ${counts}
    let left = ${count}
    const calls = '${name}' === 'statement'
      ? [[net.Socket.prototype, 'write'], [DatabaseSync.prototype, 'exec']]
      : [[fs, '${name}']]
    for (const [owner, name] of calls) {
      const original = owner[name]
      owner[name] = function (...words) {
        const isPoint = counts(...words) && --left === 0
        if (isPoint && '${when}' === 'before') process.kill(process.pid, '${signal}')
        const result = original.apply(this, words)
        if (isPoint && '${when}' === 'after') process.kill(process.pid, '${signal}')
        return result
      }
    }
    syncBuiltinESMExports()
  `)
}
