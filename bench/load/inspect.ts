// Asks a running Node about itself: V8's inspector, which the process opens on SIGUSR1, and strace.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from '../servers/server.ts'

/** Calls a method of the inspector. */
export type Inspect = <T = object>(method: string, params?: object) => Promise<T>

/** The process must have been started with --inspect-port=0. */
export async function openInspector({ label, pid, readLog }: Server): Promise<Inspect> {
  process.kill(pid, 'SIGUSR1')
  let url: string | undefined
  for (let i = 0; i < 100 && url === undefined; i++) {
    await delay(50)
    url = /ws:\S+/.exec(readLog())?.[0]
  }
  if (url === undefined) throw new Error(`${label} did not open its inspector: ${readLog()}`)
  const socket = new WebSocket(url)
  await once(socket, 'open')
  let last = 0
  return async (method, params = {}) => {
    const id = ++last
    const { promise, resolve, reject } = Promise.withResolvers<never>()
    const listen = ({ data }: MessageEvent): void => {
      const answer = JSON.parse(String(data))
      if (answer.id !== id) return
      socket.removeEventListener('message', listen)
      if (answer.error) reject(new Error(`${method}: ${answer.error.message}`))
      else resolve(answer.result as never)
    }
    socket.addEventListener('message', listen)
    socket.send(JSON.stringify({ id, method, params }))
    return await promise
  }
}

/** The system calls of all threads of a process while `run` runs, one a line, as strace(1) prints them. */
export async function traceCalls<T>(pid: number, file: string, run: () => Promise<T>) {
  const strace = spawn('strace', ['-f', '-s', '0', '-o', file, '-p', String(pid)])
  await once(strace.stderr, 'data')
  await delay(200)
  const result = await run()
  strace.kill('SIGINT')
  await once(strace, 'exit')
  return { result, lines: readFileSync(file, 'utf8').split('\n') }
}
