// A domain bought at the lab's registrar, and its zone.

import type { Fault } from '../../lab/dns/name-server.ts'
import type { Delay } from '../../lab/dns/zone.ts'
import type { Lab } from '../../lab/lab.ts'
import { type ProviderId, providers } from '../../lab/network/topology.ts'
import type { EditedRecord } from '../../lab/registrar/edited-record.ts'

export interface BoughtZone {
  name: string
  /** The number of its name servers. */
  servers: number
  /** Adds the record; values are typed as into the provider's form. */
  put(name: string, type: EditedRecord['type'], value: string, ttlSeconds?: number): BoughtZone
  /** Removes everything at the name. */
  clear(name: string): BoughtZone
  /** `index` counts the name servers from 1. */
  server(index: number, change: { delay?: Delay; fault?: Fault }): BoughtZone
}

export function buyZone(
  { domains }: Lab,
  name: string,
  provider: ProviderId = 'burrow',
): BoughtZone {
  domains.buy(name, provider)
  const { servers = [] } = providers.find(({ id }) => id === provider) ?? {}
  const zone: BoughtZone = {
    name,
    servers: servers.length,
    put(at, type, value, ttlSeconds = 300) {
      domains.addRecord(name, { name: at, type, value, ttlSeconds })
      return zone
    },
    clear(at) {
      for (const { id, name: owner } of domains.describe(name).records) {
        if (owner === at) domains.removeRecord(name, id)
      }
      return zone
    },
    server(index, change) {
      domains.changeServer(name, servers[index - 1] ?? '', change)
      return zone
    },
  }
  return zone
}
