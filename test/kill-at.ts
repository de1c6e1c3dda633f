// Ends a process, or sends it a signal, right before it sends a statement to its database, on either engine.

/**
 * The environment in which a command gets a signal before the `count`-th statement that contains `text`: at a message to
 * PostgreSQL, or at a call of SQLite's `exec`.
 */
export function killAt(
  text: string,
  count = 1,
  signal: NodeJS.Signals = 'SIGKILL',
): Record<string, string> {
  const code = `
    import net from 'node:net'
    import { DatabaseSync } from 'node:sqlite'
    let left = ${count}
    const check = (words) => {
      const [data] = words
      if (typeof data !== 'string' && !Buffer.isBuffer(data)) return
      if (data.includes(${JSON.stringify(text)}) && --left === 0) process.kill(process.pid, '${signal}')
    }
    for (const [owner, name] of [[net.Socket.prototype, 'write'], [DatabaseSync.prototype, 'exec']]) {
      const original = owner[name]
      owner[name] = function (...words) {
        check(words)
        return original.apply(this, words)
      }
    }
  `
  const module = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  return { NODE_OPTIONS: `--import=${module}` }
}
