// What can happen to a cluster, by name. A fault begins, lasts, and ends; then the cluster recovers without a hand.
import { signal, treeOf } from '../process-tree.ts'
import type { Random } from '../random.ts'
import type { Link, LinkState } from './link.ts'
import type { Part } from './part.ts'
import type { Cluster, Node } from './start-cluster.ts'

export interface Fault {
  name: string
  /** No program survives it without a loss: only by its name. */
  isUnsafe?: boolean
  /** Faults of one group do not overlap in a mixed run. */
  group: 'nodes' | 'database' | 'network' | 'clocks'
  description: string
  /** Begins it, and returns what ends it. */
  begin(cluster: Cluster, random: Random): Promise<() => Promise<void>>
}

const maxClockJumpMs = 20_000
/** Before the lease of the primary ends (database-cluster.ts). */
const watchdogMs = 6000

const kill = (part: Part) => async (): Promise<() => Promise<void>> => {
  await part.kill()
  return () => part.start()
}

const pause = (...parts: Part[]): (() => Promise<void>) => {
  for (const part of parts) part.pause()
  return async () => {
    for (const part of parts) part.resume()
  }
}

const setLinks = (links: readonly Link[], state: LinkState): (() => Promise<void>) => {
  for (const link of links) link.set(state)
  return async () => {
    for (const link of links) link.set('open')
  }
}

async function getPrimary({ database }: Cluster) {
  const primary = await database.findPrimary()
  if (primary) return primary
  return database.members[0] as (typeof database.members)[number]
}

async function getStandby(cluster: Cluster) {
  const primary = await getPrimary(cluster)
  return cluster.database.members.find((member) => member !== primary) as typeof primary
}

/** A link that is cut tells both sides; one that is silent tells nobody. */
const brokenStates: LinkState[] = ['cut', 'silent']

function networkFaults(): Fault[] {
  return brokenStates.flatMap((state): Fault[] => {
    const verb = state === 'cut' ? 'is cut' : 'falls silent'
    const of = (
      name: string,
      between: string,
      find: (cluster: Cluster, random: Random) => Promise<Link[]> | Link[],
    ): Fault => ({
      name: `${state}-${name}`,
      group: 'network',
      description: `The network between ${between} ${verb}`,
      begin: async (cluster, random) => setLinks(await find(cluster, random), state),
    })
    return [
      of('node-database', 'a node and the database', ({ nodes }, random) => [
        ...random.pick(nodes).toDatabase,
      ]),
      of('balancer-node', 'HAProxy and a node', ({ nodes }, random) => [
        ...random.pick(nodes).fromBalancer,
      ]),
      of('replication', 'primary and standby', ({ database }) =>
        database.members.flatMap(({ replication }) => replication),
      ),
      of('primary-etcd', 'the primary and etcd', async (cluster) => [
        ...(await getPrimary(cluster)).toEtcd,
      ]),
      of('standby-etcd', 'the standby and etcd', async (cluster) => [
        ...(await getStandby(cluster)).toEtcd,
      ]),
      of('etcd', 'all members of etcd', ({ database }) => database.etcdPeers),
      of('to-etcd', 'one member of etcd and what the others send to it', ({ database }, random) => [
        random.pick(database.etcdPeers),
      ]),
    ]
  })
}

const pickNode = ({ nodes }: Cluster, random: Random): Node => random.pick(nodes)

export const faults: readonly Fault[] = [
  {
    name: 'kill-node',
    group: 'nodes',
    description: 'A node is killed, and started again',
    begin: (cluster, random) => kill(pickNode(cluster, random).part)(),
  },
  {
    name: 'pause-node',
    group: 'nodes',
    description: 'A node stands still (SIGSTOP), and goes on',
    begin: async (cluster, random) => pause(pickNode(cluster, random).part),
  },
  {
    name: 'kill-primary',
    group: 'database',
    description: 'The machine of the primary fails: PostgreSQL and Patroni are killed',
    begin: async (cluster) => kill((await getPrimary(cluster)).part)(),
  },
  {
    name: 'kill-postgres',
    group: 'database',
    description: 'PostgreSQL of the primary is killed, Patroni is not',
    async begin(cluster) {
      for (const pid of (await getPrimary(cluster)).postgresPids().flatMap(treeOf))
        signal(pid, 'SIGKILL')
      return async () => {}
    },
  },
  {
    name: 'kill-patroni',
    group: 'database',
    description: 'Patroni of the primary is killed, and the watchdog resets its machine',
    async begin(cluster) {
      const { killPatroni, part } = await getPrimary(cluster)
      await killPatroni()
      // As Patroni's watchdog: without it, PostgreSQL would go on as a second primary.
      const reset = setTimeout(() => void part.kill(), watchdogMs)
      return async () => {
        clearTimeout(reset)
        await part.start()
      }
    },
  },
  {
    name: 'split-brain',
    group: 'database',
    isUnsafe: true,
    description:
      'The same without a watchdog: a second primary, whose writes are lost (not in mixed runs)',
    async begin(cluster) {
      const { killPatroni, part } = await getPrimary(cluster)
      await killPatroni()
      return () => part.start()
    },
  },
  {
    name: 'pause-primary',
    group: 'database',
    description: 'The machine of the primary stands still, and goes on',
    begin: async (cluster) => pause((await getPrimary(cluster)).part),
  },
  {
    name: 'kill-standby',
    group: 'database',
    description: 'The machine of the standby fails',
    begin: async (cluster) => kill((await getStandby(cluster)).part)(),
  },
  {
    name: 'pause-standby',
    group: 'database',
    description: 'The machine of the standby stands still, and goes on',
    begin: async (cluster) => pause((await getStandby(cluster)).part),
  },
  {
    name: 'kill-etcd',
    group: 'database',
    description: 'One of three members of etcd is killed',
    begin: ({ database }, random) => kill(random.pick(database.etcd))(),
  },
  {
    name: 'pause-etcd',
    group: 'database',
    description: 'All members of etcd stand still: nobody may be the primary',
    begin: async ({ database }) => pause(...database.etcd),
  },
  ...networkFaults(),
  {
    name: 'slow-node-database',
    group: 'network',
    description: 'Each packet between a node and the database takes 20 ms more',
    begin: async (cluster, random) => setLinks(pickNode(cluster, random).toDatabase, 'slow'),
  },
  {
    name: 'clock-jump',
    group: 'clocks',
    description: 'The clock of a node jumps by up to 20 s, and back',
    async begin(cluster, random) {
      const { setClock } = pickNode(cluster, random)
      setClock(random.below(2 * maxClockJumpMs + 1) - maxClockJumpMs)
      return async () => setClock(0)
    },
  },
]
