// One zone on its way to its name servers: each gets a new version after a delay of its own, or not until it
// is let through. Which version a server has is worked out when somebody asks, so there are no timers.
// A server never goes back to an earlier version.
import type { Zone } from './zone.ts'

/** Seconds until a new version arrives; `held`: not before this is changed. */
export type Delay = number | 'held'

export interface Propagation {
  server: string
  delay: Delay
  serial: number
  isCurrent: boolean
  /** Milliseconds since the epoch when the next version is due; undefined when none is, or it is held. */
  dueAt: number | undefined
}

export interface PublishedZone {
  /** A new version, on its way from now on. */
  publish(zone: Zone): void
  /** What a server has. Throws for a server that is none of this zone. */
  zoneAt(server: string): Zone
  setDelay(server: string, delay: Delay): void
  describe(): Propagation[]
}

interface Copy {
  delay: Delay
  /** Index of the version that is there. */
  shown: number
}

/** The first version is at every server at once. */
export function publishZone(first: Zone, servers: string[], now: () => number): PublishedZone {
  const versions = [{ zone: first, at: now() }]
  const copies = new Map<string, Copy>(servers.map((server) => [server, { delay: 0, shown: 0 }]))

  function copyAt(server: string): Copy {
    const copy = copies.get(server)
    if (!copy) throw new Error(`${server} is no server of ${first.name}`)
    const time = now()
    for (let i = copy.shown + 1; i < versions.length; i++) {
      const due = dueAt(copy, i)
      if (due !== undefined && due <= time) copy.shown = i
    }
    return copy
  }

  function dueAt({ delay }: Copy, version: number): number | undefined {
    const at = versions[version]?.at
    return delay === 'held' || at === undefined ? undefined : at + delay * 1000
  }

  return {
    publish(zone) {
      for (const server of copies.keys()) copyAt(server)
      versions.push({ zone, at: now() })
    },
    zoneAt: (server) => versions[copyAt(server).shown]?.zone ?? first,
    setDelay(server, delay) {
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
