// Starts the name servers for domain checks in a separate process, so that their processor time and memory are
// not counted as those of the checks. That process runs this file, too.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  type Fleet,
  type FleetZone,
  type ServerBehavior,
  startFleet,
} from '../../test/dns/server-fleet.ts'

const network = '127.111.53'

export interface DnsFleet extends Pick<Fleet, 'root' | 'resolver' | 'allow'> {
  stop(): Promise<void>
}

interface FleetOptions {
  behaviors: ServerBehavior[]
  zones: Record<string, FleetZone>
}

export async function startDnsFleet(options: FleetOptions): Promise<DnsFleet> {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  child.send(options)
  const [addresses] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error('the name servers exited during their start')
    }),
  ])) as [Pick<Fleet, 'root' | 'resolver' | 'allow'>]
  return {
    ...addresses,
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

if (process.send && process.argv[1] === import.meta.filename) {
  process.once('message', async ({ behaviors, zones }: FleetOptions) => {
    const { allow, resolver, root } = await startFleet(network, behaviors, zones)
    const addressOf = ({ address, port }: Fleet['root']) => ({ address, port })
    process.send?.({ allow, root: addressOf(root), resolver: addressOf(resolver) })
  })
  process.once('disconnect', () => process.exit())
}
