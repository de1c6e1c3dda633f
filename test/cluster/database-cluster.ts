// PostgreSQL with a synchronous standby under Patroni, which elects the primary by a lease in etcd: everything from
// Debian's packages. All connections between the parts go through links, which faults cut.
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../lab/free-addresses.ts'
import { findBinaries, findUser } from '../postgres.ts'
import { type Link, openLink } from './link.ts'
import { createPart, type Part } from './part.ts'

export interface DatabaseMember {
  name: string
  part: Part
  port: number
  /** Of Patroni's HTTP API, by which HAProxy finds the primary. */
  checkPort: number
  /** Only PostgreSQL itself, which Patroni starts again. */
  postgresPids(): number[]
  /** Only Patroni. Starting the part starts it again. */
  killPatroni(): Promise<void>
  /** To the other member. */
  replication: Link[]
  /** To etcd. */
  toEtcd: Link[]
}

export interface DatabaseCluster {
  members: DatabaseMember[]
  etcd: Part[]
  /** To each member of etcd, from the other ones. */
  etcdPeers: Link[]
  user: string
  password: string
  links: Link[]
  /** The member that accepts writes; undefined while there is none. */
  findPrimary(): Promise<DatabaseMember | undefined>
  /** Whether there is a primary, and the other member is its synchronous standby. */
  isWhole(): Promise<boolean>
}

/**
 * Shorter than Patroni's defaults (30, 10 and 10 s), which a test on one machine need not wait for. A primary that cannot
 * renew its lease steps down within `ttl`, and the standby takes over after it.
 */
const lease = { ttl: 12, loop_wait: 2, retry_timeout: 4 }

const etcdCount = 3
const memberCount = 2

/** The folder is readable for the user that PostgreSQL runs as. */
export async function startDatabaseCluster(folder: string): Promise<DatabaseCluster> {
  const user = findUser()
  const etcd = await startEtcd(folder)
  const password = randomBytes(16).toString('hex')
  const links = [...etcd.peers]
  const link = async (port: number): Promise<Link> => {
    const opened = await openLink(() => port)
    links.push(opened)
    return opened
  }
  const members: DatabaseMember[] = []
  for (let n = 1; n <= memberCount; n++) {
    const name = `postgres${n}`
    const data = join(folder, name)
    const [port, checkPort] = [await freePort(), await freePort()]
    const replication = [await link(port), await link(checkPort)]
    const toEtcd = await Promise.all(etcd.ports.map(link))
    const file = join(folder, `${name}.json`)
    const reached = { name, port, checkPort, replication, toEtcd }
    const config = patroniConfig(reached, { data, folder, password })
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
    mkdirSync(data, { mode: 0o700 })
    if (user) for (const path of [file, data]) chownSync(path, user.uid, user.gid)
    const postgresPids = (): number[] => readPid(join(data, 'postmaster.pid'))
    const part = createPart({
      name,
      folder,
      // JSON is YAML.
      command: ['/usr/bin/patroni', file],
      user,
      alsoRuns: postgresPids,
      isReady: async () => (await readMember(checkPort))?.state === 'running',
    })
    const killPatroni = (): Promise<void> => part.kill({ alone: true })
    members.push({ ...reached, postgresPids, killPatroni, part })
  }
  // The first one creates the database, the second one copies it.
  for (const { part } of members) await part.start()
  const findPrimary = async (): Promise<DatabaseMember | undefined> => {
    for (const member of members) {
      const found = await readMember(member.checkPort)
      // Patroni's word for the primary until version 4.
      if (found?.state === 'running' && /^(master|primary)$/.test(found.role ?? '')) return member
    }
    return undefined
  }
  return {
    members,
    etcd: etcd.parts,
    etcdPeers: etcd.peers,
    user: 'postgres',
    password,
    links,
    findPrimary,
    async isWhole() {
      const primary = await findPrimary()
      if (!primary) return false
      const { replication = [] } = (await readMember(primary.checkPort)) ?? {}
      return replication.some(({ sync_state }) => sync_state === 'sync')
    },
  }
}

async function startEtcd(folder: string) {
  const members = await Promise.all(
    Array.from({ length: etcdCount }, async (_, i) => {
      const [port, peerPort] = [await freePort(), await freePort()]
      return { name: `etcd${i + 1}`, port, peerPort, peer: await openLink(() => peerPort) }
    }),
  )
  const url = (port: number): string => `http://127.0.0.1:${port}`
  const peers = members.map(({ name, peer }) => `${name}=${url(peer.port)}`).join(',')
  const parts = members.map(({ name, peer, peerPort, port }) =>
    createPart({
      name,
      folder,
      command: [
        '/usr/bin/etcd',
        ...['--name', name, '--data-dir', join(folder, `${name}.data`)],
        ...['--listen-client-urls', url(port), '--advertise-client-urls', url(port)],
        ...['--listen-peer-urls', url(peerPort), '--initial-advertise-peer-urls', url(peer.port)],
        ...['--initial-cluster', peers, '--initial-cluster-token', 'store'],
        // Longer than the defaults: all members share one busy machine.
        ...['--heartbeat-interval', '200', '--election-timeout', '2000'],
        ...['--enable-v2', '--log-level', 'warn', '--logger', 'zap'],
      ],
      async isReady() {
        const { status } = await fetch(`${url(port)}/health`, { signal: AbortSignal.timeout(1000) })
        return status === 200
      },
    }),
  )
  await Promise.all(parts.map((part) => part.start()))
  return {
    parts,
    /** For clients. */
    ports: members.map(({ port }) => port),
    peers: members.map(({ peer }) => peer),
  }
}

function patroniConfig(
  member: Omit<DatabaseMember, 'killPatroni' | 'part' | 'postgresPids'>,
  { data, folder, password }: { data: string; folder: string; password: string },
) {
  const { checkPort, name, port, replication, toEtcd } = member
  const [postgresLink, checkLink] = replication
  return {
    scope: 'store',
    name,
    restapi: {
      listen: `127.0.0.1:${checkPort}`,
      connect_address: `127.0.0.1:${checkLink?.port}`,
    },
    // Only through the links, not at the addresses that etcd itself tells.
    // With version 3 of its API, Patroni 3.0.2 takes the lease back after a pause, from a primary that was elected meanwhile.
    etcd: { hosts: toEtcd.map((link) => `127.0.0.1:${link.port}`), use_proxies: true },
    bootstrap: {
      dcs: {
        ...lease,
        maximum_lag_on_failover: 1_048_576,
        // A commit is acknowledged when the standby has it, and only such a standby is promoted.
        synchronous_mode: true,
        // A primary that crashed is started again for so long; then the standby takes over.
        master_start_timeout: 15,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 200,
            shared_buffers: '64MB',
            synchronous_commit: 'on',
            wal_keep_size: '512MB',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${postgresLink?.port}`,
      data_dir: data,
      bin_dir: findBinaries(),
      pgpass: join(folder, `${name}.pgpass`),
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      parameters: { unix_socket_directories: data },
      create_replica_methods: ['copy_standby'],
      copy_standby: { command: copyStandbyIn(folder), bin_dir: findBinaries() },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 scram-sha-256'].concat(
        'host replication replicator 127.0.0.1/32 scram-sha-256',
      ),
      // A primary of before, whose last commits nobody has confirmed, becomes a standby without a hand.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
    log: { level: 'WARNING' },
  }
}

/** A copy of the script, which Patroni's user can read. */
function copyStandbyIn(folder: string): string {
  const file = join(folder, 'patroni-copy-standby')
  copyFileSync(join(import.meta.dirname, '../../ops/patroni-copy-standby'), file)
  chmodSync(file, 0o755)
  return file
}

interface PatroniMember {
  state?: string
  role?: string
  replication?: { sync_state: string }[]
}

/** Undefined if Patroni does not answer in time. */
async function readMember(port: number): Promise<PatroniMember | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/patroni`, {
      signal: AbortSignal.timeout(1000),
    })
    return (await response.json()) as PatroniMember
  } catch {
    return undefined
  }
}

function readPid(file: string): number[] {
  try {
    return [Number(readFileSync(file, 'utf8').split('\n')[0])]
  } catch {
    return []
  }
}
