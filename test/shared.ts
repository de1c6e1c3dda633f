// What the tests of a file or a group share, instead of variables that hooks set.
import { afterAll, beforeAll } from 'vitest'

interface Releasable {
  release?(): unknown
  close?(): unknown
  stop?(): unknown
}

/**
 * Starts it before the first test of the group, and releases, closes or stops it after the last one. What is returned
 * stands for it, and has no properties until then.
 */
export function shared<T extends object>(start: () => Promise<T> | T): T {
  let started: (T & Releasable) | undefined
  beforeAll(async () => {
    started = await start()
  })
  afterAll(async () => {
    if (started?.release) await started.release()
    else if (started?.close) await started.close()
    else await started?.stop?.()
  })
  return new Proxy({} as T, {
    get: (_, name) => started && Reflect.get(started, name),
    set: (_, name, value) => started !== undefined && Reflect.set(started, name, value),
  })
}
