// Resident memory of each server's process tree: at rest, and after all jobs of the fleet.

import type { Fleet } from '../fleet.ts'
import { readTreeUse } from '../processes.ts'
import { compareMemory, type Row } from '../results.ts'
import type { Server } from '../servers/server.ts'

export function readMemory({ ours, peers }: Fleet): Row[] {
  const moments: { job: string; bytes(server: Server): number }[] = [
    { job: 'memory at rest', bytes: ({ restBytes }) => restBytes },
    { job: 'memory after the run', bytes: ({ pid }) => readTreeUse(pid).residentBytes },
  ]
  return moments.flatMap(({ job, bytes }) =>
    ours.flatMap((mine) =>
      (mine.engine === 'SQLite' ? peers : peers.slice(0, 1)).map((peer) =>
        compareMemory(job, mine.engine, bytes(mine), peer.label, bytes(peer)),
      ),
    ),
  )
}
