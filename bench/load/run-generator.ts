// Runs a load generator against one server until it ends, and measures what both used.

import { setTimeout as delay } from 'node:timers/promises'
import { pinToCores } from '../harness/cores.ts'
import { readEndedChildrenSeconds, readTreeUsage, runCommand } from '../harness/processes.ts'
import type { Server } from '../servers/server.ts'

/** `input` is its standard input. Throws an Error with the output of both sides if it fails. */
export async function runGenerator(
  { engine, label, pid, readLog }: Server,
  cores: string | undefined,
  command: string[],
  input = '',
) {
  const [serverBefore, generatorBefore] = [
    readTreeUsage(pid).cpuSeconds,
    readEndedChildrenSeconds(),
  ]
  const running = runCommand(pinToCores(cores, command))
  running.child.stdin?.end(input)
  const { stdout } = await running.catch((cause: { stdout: string; stderr: string }) => {
    const server = engine === '' ? label : `${label} on ${engine}`
    const output = cause.stdout.slice(-2000) + cause.stderr
    throw new Error(`${command[0]} failed on ${server}: ${output}${readLog()}`, { cause })
  })
  const generatorCpuSeconds = readEndedChildrenSeconds() - generatorBefore
  // Until the server has closed the last connections.
  await delay(50)
  const serverCpuSeconds = readTreeUsage(pid).cpuSeconds - serverBefore
  return { stdout, serverCpuSeconds, generatorCpuSeconds }
}
