// The memory and the descriptors of the nodes through a run.
import { countDescriptors } from '../process-tree.ts'
import type { Cluster } from './start-cluster.ts'

export interface Resource {
  /** Seconds since the recording began. */
  at: number
  name: string
  /** Another one after each start of the node. */
  pid: number
  /** After a garbage collection, in megabytes. */
  resident: number
  heap: number
  external: number
  descriptors: number
}

const everyMs = 30_000

export function recordResources({ nodes }: Cluster): { finish(): Resource[] } {
  const recorded: Resource[] = []
  const startedAt = performance.now()
  const record = (): void => {
    const at = Math.round((performance.now() - startedAt) / 1000)
    for (const { memory, name, part } of nodes) {
      const [pid, used] = [part.pid(), memory()]
      if (pid === undefined || !used) continue
      recorded.push({
        at,
        name,
        pid,
        resident: toMegabytes(used.rss),
        heap: toMegabytes(used.heapUsed),
        external: toMegabytes(used.external),
        descriptors: countDescriptors(pid),
      })
    }
  }
  const timer = setInterval(record, everyMs)
  return {
    finish() {
      clearInterval(timer)
      record()
      return recorded
    },
  }
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2)
