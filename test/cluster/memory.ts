// The memory of the nodes, after garbage collections.
import { readFileSync } from 'node:fs'

const everyMs = 30_000

export interface Memory {
  /** Bytes, as of process.memoryUsage(). */
  rss: number
  heapUsed: number
  external: number
}

/** The environment of a process that collects its garbage every 30 s and then writes its memory to the file. */
export function recordedMemory(file: string): Record<string, string> {
  const script = `import { writeFileSync } from 'node:fs'
    import { setFlagsFromString } from 'node:v8'
    import { runInNewContext } from 'node:vm'
    import { isMainThread } from 'node:worker_threads'
    if (isMainThread) {
      setFlagsFromString('--expose-gc')
      const gc = runInNewContext('gc')
      const record = () => { gc(); writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.memoryUsage())) }
      setInterval(record, ${everyMs}).unref()
    }`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` }
}

/** Undefined before the first collection, and while it is written. */
export function readMemory(file: string): Memory | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Memory
  } catch {
    return undefined
  }
}
