// The versions of one zone at its name servers: each server gets a new version after its own delay, or when it is
// released. The version of a server is computed on each read, without timers. It never decreases.
import type { Zone } from './zone.ts'

/** Seconds until a new version arrives; `held`: not until the delay is changed. */
export type Delay = number | 'held'

export type PublishedZone = ReturnType<typeof publishZone>

interface Copy {
  delay: Delay
  /** Index of the version that is there. */
  shown: number
}

/** All servers have the first version immediately. */
export function publishZone(first: Zone, servers: string[], now: () => number) {
  const versions = [{ zone: first, at: now() }]
  const copies = new Map<string, Copy>(servers.map((server) => [server, { delay: 0, shown: 0 }]))

  function copyAt(server: string): Copy {
    const copy = copies.get(server)
    if (!copy) throw new Error(`${server} is not a server of ${first.name}`)
    const time = now()
    for (let i = copy.shown + 1; i < versions.length; i++) {
      const due = dueAt(copy, i)
      if (due !== undefined && due <= time) copy.shown = i
    }
    return copy
  }

  /** Milliseconds since the epoch; undefined if the version does not exist or is held. */
  function dueAt({ delay }: Copy, version: number): number | undefined {
    const at = versions[version]?.at
    return delay === 'held' || at === undefined ? undefined : at + delay * 1000
  }

  return {
    /** Adds a version, which reaches each server after its delay. */
    publish(zone: Zone): void {
      for (const server of copies.keys()) copyAt(server)
      versions.push({ zone, at: now() })
    },
    /** The version of a server. */
    zoneAt: (server: string): Zone => versions[copyAt(server).shown]?.zone ?? first,
    setDelay(server: string, delay: Delay): void {
      copyAt(server).delay = delay
    },
    describe: () =>
      [...copies.keys()].map((server) => {
        const copy = copyAt(server)
        return {
          server,
          delay: copy.delay,
          serial: versions[copy.shown]?.zone.soa.serial ?? 0,
          isCurrent: copy.shown === versions.length - 1,
          dueAt: dueAt(copy, copy.shown + 1),
        }
      }),
  }
}
