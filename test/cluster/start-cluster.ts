// Three nodes of the program on PostgreSQL with a synchronous standby (database-cluster.ts), behind HAProxy. The first and
// the third node name both database servers in DATABASE_URL, the second one reaches the primary through HAProxy. They
// publish sites under names of a lab, whose authority issues their certificates.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGuardedFolder } from '../guarded-folder.ts'
import { freePort } from '../lab/free-addresses.ts'
import { jumpingClock } from '../nodes/shifted-clock.ts'
import { program } from '../program.ts'
import { ask } from '../running-store.ts'
import { environmentOf } from '../served-process.ts'
import { type DatabaseCluster, startDatabaseCluster } from './database-cluster.ts'
import { type Link, openLink } from './link.ts'
import { createPart, type Part } from './part.ts'
import { type Platform, startPlatform } from './platform.ts'

export interface Node {
  name: string
  part: Part
  port: number
  /** To the database: to each server, or to HAProxy. */
  toDatabase: Link[]
  /** From HAProxy, to both ports. */
  fromBalancer: [http: Link, https: Link]
  /** Sets its clock this much ahead of the others'. */
  setClock(byMs: number): void
  isReady(): Promise<boolean>
}

export interface Cluster {
  /** Of HAProxy, where clients connect. */
  port: number
  httpsPort: number
  platform: Platform
  nodes: Node[]
  database: DatabaseCluster
  /** The first API key of production, and the token of the set-up link. */
  key: string
  setUpToken: string
  /** Whether everything runs: the nodes are ready, and the standby is synchronous. */
  isWhole(): Promise<boolean>
  /** Of all parts, to a folder. */
  writeLogs(folder: string): void
  stop(): Promise<void>
}

const nodeCount = 3

export async function startCluster(log: (line: string) => void): Promise<Cluster> {
  const folder = await createGuardedFolder('animal-store-chaos-')
  try {
    return await startIn(folder.path, log, () => folder.remove())
  } catch (error) {
    await folder.remove()
    throw error
  }
}

async function startIn(
  folder: string,
  log: (line: string) => void,
  stop: () => Promise<void>,
): Promise<Cluster> {
  chmodSync(folder, 0o777)
  log('starting etcd, Patroni and PostgreSQL')
  const database = await startDatabaseCluster(folder)
  const [port, httpsPort, databasePort] = [await freePort(), await freePort(), await freePort()]
  const platform = await startPlatform(folder, { port, httpsPort })
  const base = new URL(`http://localhost:${port}`)
  const secretKey = randomBytes(32).toString('base64')
  const nodes: Node[] = []
  for (let n = 1; n <= nodeCount; n++) {
    const usesBalancer = n === 2
    const targets = usesBalancer ? [databasePort] : database.members.map((member) => member.port)
    const toDatabase = await Promise.all(targets.map((target) => openLink(() => target)))
    const [nodePort, nodeHttpsPort] = [await freePort(), await freePort()]
    const name = `node${n}`
    const dataDir = join(folder, `${name}.data`)
    mkdirSync(dataDir, { mode: 0o700 })
    const clockFile = join(folder, `${name}.clock`)
    const { password, user } = database
    const hosts = toDatabase.map((link) => `127.0.0.1:${link.port}`).join(',')
    const query = usesBalancer ? '' : '?target_session_attrs=read-write'
    const place = {
      engine: 'postgres' as const,
      dataDir,
      databaseUrl: `postgres://${user}:${password}@${hosts}/postgres${query}`,
    }
    const isReady = async (): Promise<boolean> => {
      const options = { key: null, timeoutMs: 3000 }
      return (await ask(nodePort, base, '', 'readyz', options)).status === 200
    }
    nodes.push({
      name,
      port: nodePort,
      toDatabase,
      fromBalancer: [await openLink(() => nodePort), await openLink(() => nodeHttpsPort)],
      setClock: (byMs) => writeFileSync(clockFile, String(byMs)),
      isReady,
      part: createPart({
        name,
        folder,
        command: [process.execPath, program, 'serve', '--json'],
        env: environmentOf(place, {
          ...platform.env,
          HTTP_PORT: String(nodePort),
          HTTPS_PORT: String(nodeHttpsPort),
          BASE_URL: `${base.origin}/v1`,
          STAGING_BASE_URL: `http://staging.localhost:${port}/v1`,
          DASHBOARD_URL: base.origin,
          SECRET_KEY: secretKey,
          WORKERS: '1',
          FIRST_PROJECT: 'off',
          WEBHOOK_ALLOW: '127.0.0.1',
          DATABASE_CONNECTIONS: '24',
          ...jumpingClock(clockFile),
        }),
        isReady,
      }),
    })
  }
  const balancer = createPart({
    name: 'haproxy',
    folder,
    command: ['/usr/sbin/haproxy', '-db', '-f', join(folder, 'haproxy.cfg')],
    isReady: async () => true,
  })
  const ports = { port, httpsPort, databasePort }
  writeFileSync(join(folder, 'haproxy.cfg'), balancerConfig(ports, nodes, database))
  await balancer.start()
  log('starting three nodes')
  for (const { part } of nodes) await part.start()
  return {
    port,
    httpsPort,
    platform,
    nodes,
    database,
    ...readCredentials(folder),
    async isWhole() {
      const ready = nodes.map(({ isReady }) => isReady().catch(() => false))
      return (await Promise.all(ready)).every(Boolean) && (await database.isWhole())
    },
    writeLogs(to) {
      const parts = [...nodes, ...database.members].map(({ part }) => part)
      for (const { log, name } of [...parts, ...database.etcd, balancer])
        writeFileSync(join(to, `${name}.log`), log())
    },
    async stop() {
      for (const { part } of nodes) await part.kill()
      await balancer.kill()
      for (const { killPatroni } of database.members) await killPatroni()
      for (const part of database.etcd) await part.kill()
      // The guard of the folder ends PostgreSQL, which leaves nothing in memory if it is not killed.
      const links = nodes.flatMap(({ fromBalancer, toDatabase }) => [
        ...fromBalancer,
        ...toDatabase,
      ])
      await Promise.all([...links, ...database.links].map((link) => link.close()))
      await platform.stop()
      await stop()
    },
  }
}

/** The first start creates the keys. Each start creates the set-up link anew, as long as there is no account. */
function readCredentials(folder: string): { key: string; setUpToken: string } {
  const read = (node: number): { keys: { production?: string }; setUpLink: string } =>
    JSON.parse(readFileSync(join(folder, `node${node}.data`, 'first-credentials.json'), 'utf8'))
  const key = read(1).keys.production
  const token = read(nodeCount).setUpLink.split('#').at(-1)
  if (key === undefined || token === undefined) throw new Error('the first start created no keys')
  return { key, setUpToken: token }
}

function balancerConfig(
  { databasePort, httpsPort, port }: { port: number; httpsPort: number; databasePort: number },
  nodes: Node[],
  { members }: DatabaseCluster,
): string {
  const unavailable = JSON.stringify({
    code: 'unavailable',
    message: 'No node is ready.',
    status: 503,
  }).replaceAll('"', '\\"')
  const readinessCheck = `option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost:${port}
    http-check expect status 200`
  return `
global
    maxconn 4000
defaults
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    timeout check 1s
    default-server check inter 500ms fall 2 rise 1

listen store
    bind 127.0.0.1:${port}
    mode http
    timeout server 10s
    balance roundrobin
    # A request is sent to another node only if it could not be sent to the first one.
    retries 2
    option redispatch 1
    ${readinessCheck}
    http-error status 503 content-type application/json string "${unavailable}" hdr Retry-After 1
${nodes.map(({ fromBalancer: [http], name }) => `    server ${name} 127.0.0.1:${http.port}`).join('\n')}

listen sites
    bind 127.0.0.1:${httpsPort}
    mode tcp
    balance roundrobin
    retries 2
    option redispatch 1
    ${readinessCheck}
    default-server on-marked-down shutdown-sessions
${nodes.map(({ fromBalancer: [http, https], name }) => `    server ${name} 127.0.0.1:${https.port} check port ${http.port}`).join('\n')}

listen database
    bind 127.0.0.1:${databasePort}
    mode tcp
    timeout client 30m
    timeout server 30m
    # Patroni answers 200 on the primary only. Connections to a primary of before are closed.
    option httpchk
    http-check send meth OPTIONS uri /primary
    http-check expect status 200
    default-server on-marked-down shutdown-sessions
${members.map(({ checkPort, name, port: at }) => `    server ${name} 127.0.0.1:${at} check port ${checkPort}`).join('\n')}
`
}
