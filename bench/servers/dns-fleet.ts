// The name servers that checks of domains are measured against, in a process of their own, so that neither
// their time nor their memory is taken for ours. The file is both: what starts the process, and the process.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Fleet, type FleetZone, type Manner, startFleet } from '../../test/dns/server-fleet.ts'

const network = '127.111.53'

export interface DnsFleet extends Pick<Fleet, 'root' | 'resolver' | 'allow'> {
  stop(): Promise<void>
}

interface Order {
  manners: Manner[]
  zones: Record<string, FleetZone>
}

export async function startDnsFleet(order: Order): Promise<DnsFleet> {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  child.send(order)
  const [places] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error('the name servers ended before they answered')
    }),
  ])) as [Pick<Fleet, 'root' | 'resolver' | 'allow'>]
  return {
    ...places,
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

if (process.send && process.argv[1] === import.meta.filename) {
  process.once('message', async ({ manners, zones }: Order) => {
    const { allow, resolver, root } = await startFleet(network, manners, zones)
    const place = ({ address, port }: Fleet['root']) => ({ address, port })
    process.send?.({ allow, root: place(root), resolver: place(resolver) })
  })
  process.once('disconnect', () => process.exit())
}
