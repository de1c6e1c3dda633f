// Keeps the load generator's core from sleeping, as a generator on another machine would: on a
// virtual machine the send that wakes a sleeping core is charged to the server, up to 15 µs for
// each answer of a server that is slower than the generator.

import { pinned } from './cores.ts'
import { type RunningProcess, startProcess } from './processes.ts'

/** Spins in SCHED_IDLE, which gives way to every other process; ends when this process is gone. */
export function keepAwake(core: string, logFile: string): RunningProcess {
  const spin = `while kill -0 ${process.pid}; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`
  return startProcess({
    command: pinned(core, ['chrt', '--idle', '0', 'sh', '-c', spin]),
    logFile,
  })
}
