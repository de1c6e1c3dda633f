// Which core runs what. With two or more cores, the server gets core 0 and the load generator core 1.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../test/postgres.ts'
import { treeOf } from '../../test/process-tree.ts'
import { type RunningProcess, startProcess } from './processes.ts'

/** Core lists in the format of taskset; undefined means that the process is not pinned. */
export interface Cores {
  server?: string
  generator?: string
  database?: string
  /** Printed below the table of results. */
  description: string[]
}

export function assignCores(count = availableParallelism()): Cores {
  if (count < 2) {
    return {
      description: ['one core, shared by the server and the load generator: ratios mean little'],
    }
  }
  const hasSpareCores = count >= 4
  const cores = {
    server: '0',
    generator: '1',
    database: hasSpareCores ? `2-${count - 1}` : '0,1',
  }
  return {
    ...cores,
    description: [
      `${count} cores; server on core 0, load generator (wrk) on core 1`,
      `PostgreSQL on cores ${cores.database}${hasSpareCores ? '' : ', shared with both'}`,
    ],
  }
}

export function pinToCores(cores: string | undefined, command: string[]): string[] {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command]
}

/** A PostgreSQL in a folder of `parent`, with fsync on. */
export async function startPostgresOn(
  cores: string | undefined,
  parent: string,
): Promise<Postgres> {
  const settings = { shared_buffers: '256MB', max_wal_size: '4GB' }
  const postgres = await startPostgres({ parent, settings })
  if (cores === undefined) return postgres
  const pid = readFileSync(join(postgres.dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]
  for (const each of treeOf(Number(pid))) execFileSync('taskset', ['-pc', cores, `${each}`])
  return postgres
}

/**
 * Keeps a core from going idle, as on a separate, busy load generator machine. On a virtual machine,
 * waking an idle core costs the sending process up to 15 µs per response, which would be counted
 * as the server's processor time. The loop runs under SCHED_IDLE, so every other process preempts it,
 * and it ends when this process has ended.
 */
export function keepCoreAwake(core: string, logFile: string): RunningProcess {
  const spin = `while kill -0 ${process.pid}; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`
  return startProcess({
    command: pinToCores(core, ['chrt', '--idle', '0', 'sh', '-c', spin]),
    logFile,
  })
}
