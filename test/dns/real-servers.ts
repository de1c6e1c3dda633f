// Real name servers from Debian's packages, each on its own address at port 53 (a resolver follows delegations only
// to that port, so these tests run as root): Knot, which signs, NSD, PowerDNS with ALIAS, and Unbound, which
// validates. The caller deletes their folder.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ask } from '#dns/queries/ask.ts'
import { createDnsNetwork } from '#dns/queries/dns-network.ts'
import { startInquiry } from '#dns/queries/inquiry.ts'

/** Debian's names of the packages. */
export const packages = ['knot', 'nsd', 'pdns-server', 'pdns-backend-sqlite3', 'unbound']
const programs = ['knotd', 'keymgr', 'nsd', 'pdns_server', 'pdnsutil', 'unbound'].map((name) =>
  name === 'pdnsutil' ? `/usr/bin/${name}` : `/usr/sbin/${name}`,
)
const schemaFile = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql'
const readyWithinMs = 20_000

export interface Zone {
  apex: string
  /** Lines of a zone file, names relative to the apex. */
  records: string
  isSigned?: boolean
}

export interface RealServer {
  address: string
  stop(): Promise<void>
}

/** Throws with the missing packages, so that no test is skipped silently. */
export function requireRealServers(): void {
  const missing = programs.filter((program) => !existsSync(program))
  if (missing.length > 0) {
    throw new Error(`Missing: ${missing.join(', ')}. apt-get install ${packages.join(' ')}`)
  }
  if (process.getuid?.() !== 0) throw new Error('Port 53 requires root: run these tests as root.')
}

/** Knot; signed zones have one ECDSA key each. `unsigned-127-0-0-1` in them has that address, without a signature. */
export async function startKnot(folder: string, address: string, zones: Zone[]) {
  const home = await homeFor(folder, address)
  const blocks = await Promise.all(
    zones.map(async (zone) => {
      const file = await writeZone(home, zone)
      const signing = zone.isSigned
        ? '\n    dnssec-signing: on\n    dnssec-policy: one\n    module: mod-synthrecord/unsigned'
        : ''
      return `  - domain: ${zone.apex || '.'}\n    file: ${file}${signing}`
    }),
  )
  const config = join(home, 'knot.conf')
  await writeFile(
    config,
    `server:
    listen: ${address}@53
    rundir: ${home}
database:
    storage: ${home}
log:
  - target: stderr
    any: warning
policy:
  - id: one
    algorithm: ecdsap256sha256
    single-type-signing: on
mod-synthrecord:
  - id: unsigned
    type: forward
    prefix: unsigned-
    network: 127.0.0.0/8
template:
  - id: default
    zonefile-sync: -1
zone:
${blocks.join('\n')}
`,
  )
  const server = await startServer('/usr/sbin/knotd', ['-c', config], address, zones[0]?.apex ?? '')
  const keys = (apex: string, form: 'ds' | 'dnskey') =>
    execFileSync('/usr/sbin/keymgr', ['-c', config, apex || '.', form], { encoding: 'utf8' })
  return {
    ...server,
    /** The DS record for the parent's zone, with SHA-256. */
    dsOf: (apex: string) => keys(apex, 'ds').split('\n')[0] ?? '',
    dnskeyOf: (apex: string) => keys(apex, 'dnskey'),
  }
}

export async function startNsd(folder: string, address: string, zones: Zone[]) {
  const home = await homeFor(folder, address)
  const blocks = await Promise.all(
    zones.map(async (zone) => {
      return `zone:\n  name: ${zone.apex}\n  zonefile: ${await writeZone(home, zone)}\n`
    }),
  )
  const config = join(home, 'nsd.conf')
  await writeFile(
    config,
    `server:
  ip-address: ${address}
  username: ""
  chroot: ""
  zonesdir: ${home}
  pidfile: ${home}/nsd.pid
  database: ""
  xfrdfile: ${home}/xfrd.state
  zonelistfile: ${home}/zone.list
  xfrdir: ${home}
  server-count: 1
  rrl-ratelimit: 0
remote-control:
  control-enable: no
${blocks.join('')}`,
  )
  return startServer('/usr/sbin/nsd', ['-d', '-c', config], address, zones[0]?.apex ?? '')
}

/** PowerDNS with SQLite; ALIAS is looked up at `resolver`. */
export async function startPowerDns(
  folder: string,
  address: string,
  zones: Zone[],
  resolver: string,
) {
  const home = await homeFor(folder, address)
  const database = join(home, 'pdns.sqlite3')
  const sqlite = new DatabaseSync(database)
  sqlite.exec(await readFile(schemaFile, 'utf8'))
  sqlite.close()
  await writeFile(
    join(home, 'pdns.conf'),
    `launch=gsqlite3
gsqlite3-database=${database}
local-address=${address}
local-port=53
socket-dir=${home}
daemon=no
guardian=no
disable-syslog=yes
expand-alias=yes
resolver=${resolver}:53
`,
  )
  for (const zone of zones) {
    const file = await writeZone(home, zone)
    execFileSync('/usr/bin/pdnsutil', ['--config-dir', home, 'load-zone', zone.apex, file], {
      stdio: 'ignore',
    })
  }
  return startServer(
    '/usr/sbin/pdns_server',
    [`--config-dir=${home}`],
    address,
    zones[0]?.apex ?? '',
  )
}

/** Unbound with this root. It validates if there is a key. */
export async function startUnbound(
  folder: string,
  address: string,
  root: { address: string; dnskey?: string },
) {
  const home = await homeFor(folder, address)
  await writeFile(join(home, 'root.key'), root.dnskey ?? '')
  await writeFile(
    join(home, 'root.hints'),
    `. 3600000 NS ns.root.\nns.root. 3600000 A ${root.address}\n`,
  )
  const config = join(home, 'unbound.conf')
  await writeFile(
    config,
    `server:
  interface: ${address}
  do-ip6: no
  do-not-query-localhost: no
  username: ""
  chroot: ""
  directory: "${home}"
  pidfile: "${home}/unbound.pid"
  use-syslog: no
  root-hints: root.hints
  ${root.dnskey ? 'trust-anchor-file: root.key' : ''}
  module-config: "${root.dnskey ? 'validator ' : ''}iterator"
  local-zone: "test." nodefault
  use-caps-for-id: yes
  ede: yes
  num-threads: 1
remote-control:
  control-enable: no
`,
  )
  return startServer('/usr/sbin/unbound', ['-d', '-c', config], address, '')
}

/** Resolves when the server answers with NOERROR for the name. */
async function startServer(
  program: string,
  args: string[],
  address: string,
  apex: string,
): Promise<RealServer> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const exited = once(child, 'exit')
  const server = { address, port: 53 }
  const network = createDnsNetwork({ roots: [server] })
  const giveUpAt = performance.now() + readyWithinMs
  while (true) {
    const inquiry = startInquiry({ network, clock: Date.now, timeoutsMs: [200, 200] })
    const question = { name: apex, type: 'SOA' } as const
    const { response } = await ask(inquiry, server, question, { wantsRecursion: true })
    if (response?.rcode === 'NOERROR') break
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      child.kill('SIGKILL')
      throw new Error(`${program} at ${address} does not answer: ${log}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { address, stop: () => stop(child, exited) }
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode === null) child.kill('SIGTERM')
  await exited
}

async function homeFor(folder: string, address: string): Promise<string> {
  const home = join(folder, address)
  await mkdir(home, { recursive: true, mode: 0o777 })
  return home
}

async function writeZone(home: string, { apex, records }: Zone): Promise<string> {
  const file = join(home, `${apex || 'root'}.zone`)
  await writeFile(file, `$ORIGIN ${apex ? `${apex}.` : '.'}\n$TTL 3600\n${records.trim()}\n`)
  return file
}
